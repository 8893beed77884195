"""Networks best first."""
