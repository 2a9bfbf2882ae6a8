"""Lines and boards as machine words, for compiled code."""
