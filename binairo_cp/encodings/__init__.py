"""Constraints, translated into what a solver eats: one file a target."""
