"""Executors, resource limits and child processes."""
