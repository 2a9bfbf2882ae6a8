"""Who does the work: processes and clusters, their limits, and compiled code."""
