"""Importing this module loads the compiled code, so that forked worker processes share it."""

from binairo_cp.counting.kernel import kernel

kernel().load_counting()
