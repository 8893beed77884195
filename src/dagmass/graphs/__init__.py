"""Sets of variables and graphs over them: known to every stage."""
