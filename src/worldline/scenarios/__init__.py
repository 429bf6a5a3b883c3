"""What a world starts from and what is controlled in it. For now: snapshots."""
