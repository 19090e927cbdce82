"""The one place that writes releases: staged aside, checked, then renamed whole into place.

A crash or a full disk leaves nothing public, or the whole release. The ledger is in place before
the public half. Replacing exchanges folders in one step where the system can (Linux, macOS).
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
from pydantic_core import to_json

from sfumato.core.errors import BadInput, OutputExists
from sfumato.data.hierarchy import Hierarchy
from sfumato.io.dictionary import dictionary_text
from sfumato.io.folder import FAKES, KEPT, MATCHES, checksum
from sfumato.io.forms import safe_name as safe_name
from sfumato.io.forms import tree_file
from sfumato.io.layouts import LAYOUTS
from sfumato.io.property_tables import property_tables
from sfumato.io.swap import ASIDE, exchange
from sfumato.io.words import Extent
from sfumato.releases.release import FORMAT, Ledger, Publication, Release

LONG_AGO = 315532800  # 1980-01-01: files carry no date of their own
STAGED = ".sfumato-staged-"


@dataclass(frozen=True)
class Output:
    """Where the two halves go, and how."""

    release: Path
    ledger: Path
    replace: bool = False
    format: str = "parquet"

    def check(self) -> None:
        """Refuse outputs that exist or lie inside one another, before any work is done."""
        release, ledger = self.release.resolve(), self.ledger.resolve()
        if release == ledger or release in ledger.parents or ledger in release.parents:
            raise BadInput(
                "output.path and output.ledger lie inside one another", "give them separate folders"
            )
        self._check_place(release, "output.path", "manifest.json")
        self._check_place(ledger, "output.ledger", "ledger.json")

    def _check_place(self, place: Path, key: str, file: str) -> None:
        if not place.parent.is_dir():
            raise BadInput(f"the folder for {key} does not exist", f"create {place.parent.name}")
        if place.exists() and not self.replace:
            raise OutputExists(f"{key} '{place.name}' exists", "use --replace or another name")
        if place.exists() and not _may_replace(place, file):
            raise OutputExists(
                f"{key} '{place.name}' is not a sfumato folder, or the other half's",
                "it is not replaced; move it",
            )


def _may_replace(place: Path, file: str) -> bool:
    """An empty folder, or one in which `file` says that it is sfumato's."""
    if not place.is_dir():
        return False
    try:
        facts = json.loads((place / file).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return not any(place.iterdir())
    except (OSError, ValueError):
        return False
    return isinstance(facts, dict) and str(facts.get("format", "")).startswith("sfumato/")


def write(publication: Publication, output: Output, check: Callable[[Path, Path], None]) -> str:
    """Stage both halves, let `check` judge the staged files, and put them in place; returns the id.

    `check` gets the staged release and ledger and raises to refuse them.
    """
    _sweep(output.release)
    _sweep(output.ledger)
    output.check()
    release_id = secrets.token_hex(16)
    staged = _staging(output.release, release_id)
    kept = _staging(output.ledger, release_id)
    try:
        write_ledger(replace(publication.ledger, release_id=release_id), kept)
        write_release(replace(publication.release, release_id=release_id), staged, output.format)
        check(staged, kept)
        _settle(staged, kept, output)
    except OSError as error:
        reason = error.strerror or "the system refused"
        raise BadInput(
            f"the release could not be written: {reason}", "nothing was published"
        ) from None
    finally:
        shutil.rmtree(staged, ignore_errors=True)
        shutil.rmtree(kept, ignore_errors=True)
    return release_id


def _staging(place: Path, release_id: str) -> Path:
    place = place.resolve()
    return place.parent / f"{STAGED}{place.name}-{release_id[:8]}"


def _sweep(place: Path) -> None:
    """Remove what a killed run left beside the output; put back what it had only moved aside."""
    place = place.resolve()
    for aside in place.parent.glob(f"{STAGED}{escape(place.name)}-????????{ASIDE}"):
        if not place.exists():
            aside.rename(place)
        shutil.rmtree(aside, ignore_errors=True)
    for rest in place.parent.glob(f"{STAGED}{escape(place.name)}-????????"):
        shutil.rmtree(rest, ignore_errors=True)


def _settle(staged: Path, kept: Path, output: Output) -> None:
    """Ledger first, public half last; afterwards the staging names hold what was replaced.

    If the public half can't be put in place, the ledger is taken back.
    """
    for path in (staged, kept):
        _flush(path)
    ledger = output.ledger.resolve()
    replaced = ledger.exists()
    _put(kept, ledger)
    try:
        _open_up(staged)
        _put(staged, output.release.resolve())
    except BaseException:
        if replaced:
            exchange(kept, ledger)
        else:
            ledger.rename(kept)
        raise


def _open_up(staged: Path) -> None:
    """Give the folder the mode that the user's folders have, as the one inside it shows."""
    staged.chmod(stat.S_IMODE((staged / "data").stat().st_mode))


def _put(new: Path, place: Path) -> None:
    if place.exists():
        exchange(new, place)
    else:
        new.rename(place)
    _flush_folder(place.parent)


def write_release(release: Release, folder: Path, form: str = "parquet") -> None:
    """Write the public half into a new folder, which only the user may enter for now."""
    data = folder / "data"
    folder.mkdir(mode=0o700, parents=True)
    data.mkdir()
    layout = LAYOUTS[release.form, release.kind]
    tables = layout.tables(release)
    rows = {f"data/{name}.{form}": table.num_rows for name, table in tables.items()}
    for name, table in tables.items():
        _write_table(table, data / f"{name}.{form}")
    trees = _write_trees(release.hierarchies | layout.hierarchies(release), folder)
    columns = layout.schema_json(release)
    _write_json({"columns": columns}, folder / "schema.json")
    _write_json({"claims": [claim.as_json() for claim in release.claims]}, folder / "claims.json")
    for name, told in layout.beside(release).items():
        _write_json(told, folder / name)
    text = dictionary_text(layout, columns, release.claims, form, Extent.of(release), release.facts)
    (folder / "dictionary.md").write_text(text, encoding="utf-8")
    _write_json(_manifest(release, folder, rows, trees), folder / "manifest.json")
    for path in [*folder.rglob("*"), folder]:
        os.utime(path, (LONG_AGO, LONG_AGO))


def _manifest(
    release: Release, folder: Path, rows: dict[str, int], trees: dict[str, str]
) -> dict[str, Any]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    names = [path.relative_to(folder).as_posix() for path in files]
    return {
        "format": FORMAT,
        "release_id": release.release_id,
        "kind": release.kind,
        "form": release.form,
        "dropped": release.dropped,
        "facts": release.facts,
        "hierarchies": trees,
        "files": {
            name: {"sha256": checksum(path)} | ({"rows": rows[name]} if name in rows else {})
            for name, path in zip(names, files, strict=True)
        },
    }


def write_ledger(ledger: Ledger, folder: Path) -> None:
    """Write the owner's half into a new folder that only the user may enter."""
    folder.mkdir(mode=0o700)
    links = pa.table({"row": ledger.rows})
    _write_table(links, folder / "links.parquet")
    if ledger.fakes is not None:
        _write_table(ledger.fakes, folder / FAKES)
    if ledger.matches is not None:
        _write_table(ledger.matches, folder / MATCHES)
    if ledger.kept is not None:
        for name, table in zip(KEPT, property_tables(ledger.kept).values(), strict=True):
            _write_table(table, folder / name)
    facts = {"format": FORMAT, "release_id": ledger.release_id, "key": ledger.key}
    _write_json(facts | {"job": ledger.job, "notes": ledger.notes}, folder / "ledger.json")
    for path in folder.iterdir():  # a copy of a file goes without the folder
        path.chmod(0o600)


def _write_table(table: pa.Table, path: Path) -> None:
    if path.suffix == ".csv":
        pacsv.write_csv(_flat_for_csv(table), path)
    else:
        pq.write_table(table, path, compression="zstd", compression_level=1)


def _flat_for_csv(table: pa.Table) -> pa.Table:
    """CSV has no lists and no dictionaries: lists become JSON texts."""
    columns = {}
    for name in table.column_names:
        values = table.column(name)
        if pa.types.is_list(values.type):
            texts = values.cast(pa.list_(pa.string())).to_pylist()
            values = pa.array([json.dumps(text, ensure_ascii=False) for text in texts])
        elif pa.types.is_dictionary(values.type):
            values = values.cast(values.type.value_type)
        columns[name] = values
    return pa.table(columns)


def _write_trees(trees: dict[str, Hierarchy], folder: Path) -> dict[str, str]:
    """Write each tree in level form; returns the file of each column."""
    if trees:
        (folder / "hierarchies").mkdir()
    files = {}
    for number, (name, tree) in enumerate(trees.items(), 1):
        parts = enumerate(zip(*tree.rows(), strict=True))
        files[name] = tree_file(number, name)
        levels = pa.table({f"level_{level}": list(part) for level, part in parts})
        pacsv.write_csv(levels, folder / files[name])
    return files


def _write_json(data: dict[str, Any], path: Path) -> None:
    path.write_bytes(to_json(data, indent=2, inf_nan_mode="constants") + b"\n")


def _flush(folder: Path) -> None:
    """Have every file on the disk itself before the folder gets its name."""
    for path in _files(folder):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _files(folder: Path) -> Iterable[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _flush_folder(folder: Path) -> None:
    """As far as the system can: a folder that stays unflushed is no reason to undo a rename."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
