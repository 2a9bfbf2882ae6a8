"""``python -m binairo_cp`` is ``binairo``."""

from binairo_cp.cli import main

main()
