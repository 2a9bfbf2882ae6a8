"""What the package can do, one file per feature: its function, its options, its record."""
