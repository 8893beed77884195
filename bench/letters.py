"""The Letter data of the paper: 17 variables, 20,000 rows, the letter and 16 attributes cut at their medians."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dagmass import Table

LETTER = Path(__file__).parent.parent / "tests" / "data" / "letter_med2.csv.gz"


def letter_table() -> Table:
    """Read the table (tests/data/README.md says where it comes from)."""
    return Table.from_frame(pd.read_csv(LETTER))
