"""Weighted networks and the questions one asks of them."""
