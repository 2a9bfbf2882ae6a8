"""Merge result files, and compare two of them puzzle by puzzle."""
