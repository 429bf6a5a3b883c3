"""``python -m worldline``: the command line."""

from worldline.cli import main

if __name__ == "__main__":
    main()
