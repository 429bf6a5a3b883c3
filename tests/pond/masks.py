"""What varies from run to run in the pond."""

MASKS = (("duration", r"\d+ ns"),)
