"""Whole runs: from data to a posterior in one call, and what it will cost."""
