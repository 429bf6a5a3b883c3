"""The text forms of a desktop: a table of elements as recorded, or the whole tree in XML."""
