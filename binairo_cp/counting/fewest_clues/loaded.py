"""Importing this module loads the compiled code, so that forked worker processes share it."""

from binairo_cp.counting.fewest_clues.kernel import load_all

load_all()
