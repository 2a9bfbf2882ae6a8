"""Collections: what is wrong with the puzzles of some files, each for itself and all together."""
