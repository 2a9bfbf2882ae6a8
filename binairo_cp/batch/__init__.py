"""Many puzzles: blocks in, records out; resuming, progress, summaries, result files."""
