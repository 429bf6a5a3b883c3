"""Rules of the coding tools, by what they look at: how answers are laid out (`answers`), lines that
were shown before (`lines`), the repository and its tests (`repository`)."""
