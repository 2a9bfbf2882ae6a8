"""Executors, resource limits, child processes and the cache of compiled code."""
