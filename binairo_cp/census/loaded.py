"""Importing this loads the compiled code, so that processes forked from this one have it."""

from binairo_cp.census.kernel import kernel

kernel().load()
