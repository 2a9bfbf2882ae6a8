"""Solve, check, count and enumerate; the backends and encodings."""
