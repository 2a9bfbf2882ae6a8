"""From a puzzle to its solutions: solve, check, count, enumerate; the backends and encodings."""
