"""Questions in SQL, answered on releases with hard bounds."""

from sfumato.query.asking import Engine, answer, as_table, compare, prepare
from sfumato.query.exact import exact

__all__ = ["Engine", "answer", "as_table", "compare", "exact", "prepare"]
