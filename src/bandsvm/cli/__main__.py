"""``python -m bandsvm.cli``, for where the command is not on the path."""

import sys

from bandsvm.cli import main

sys.exit(main())
