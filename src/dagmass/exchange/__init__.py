"""Other programs' files and objects."""
