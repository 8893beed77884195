"""The command line: the library spoken aloud."""
