"""`python -m sfumato`."""

import sys

from sfumato.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
