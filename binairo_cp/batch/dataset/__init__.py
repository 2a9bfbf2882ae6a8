"""Datasets: collections of new puzzles from a recipe, without twins, with solutions and paths."""
