"""Sums over all networks: evidence, exact posteriors, draws."""
