"""Loads the compiled search on import if it need not be compiled first, for forked processes."""

from binairo_cp.solving.backends.bitboard import kernel

if kernel.is_stored():
    kernel.load_all()
