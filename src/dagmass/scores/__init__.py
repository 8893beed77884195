"""Local scores: the hub between tables and everything that is computed of them."""
