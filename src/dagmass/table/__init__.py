"""From files and frames to a table of small codes."""
