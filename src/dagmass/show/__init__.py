"""How results look: text for people, JSON for programs."""
