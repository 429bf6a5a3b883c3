"""What the project shows and measures; run from the root of the repository."""
