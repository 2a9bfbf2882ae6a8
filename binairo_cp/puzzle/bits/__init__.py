"""Lines as machine words, for compiled code."""
