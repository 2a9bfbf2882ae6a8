"""Loads the compiled search on import, so that processes forked from this one have it."""

from binairo_cp.solving.backends.bitboard.kernel import load_all

load_all()
