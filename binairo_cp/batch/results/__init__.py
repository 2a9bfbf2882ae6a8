"""Files of results, read back: put together, and compared puzzle by puzzle."""
