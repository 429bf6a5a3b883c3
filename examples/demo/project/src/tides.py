"""High and low water for a harbour."""

import sys

HARBOURS = {"lowick": 3.2, "st-anne": 4.7, "marrow": 2.1}


def range_of(harbour: str) -> float:
    """Tidal range in metres."""
    return HARBOURS[harbour]


if __name__ == "__main__":
    print(f"{range_of(sys.argv[1])} m")
