"""The data sets that come with the package."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path


@dataclass(frozen=True)
class Dataset:
    """A packaged data set."""

    name: str
    num_rows: int
    num_columns: int
    about: str
    source: str

    @property
    def path(self) -> Path:
        """Where its CSV file lies."""
        return Path(str(resources.files("dagmass.run") / "data" / f"{self.name}.csv"))


_UCI = "UCI Machine Learning Repository, CC BY 4.0"
DATASETS = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            "asia", 5000, 8, "chest clinic, drawn from a known network", "Lauritzen and Spiegelhalter (1988); drawn for this package, MIT"
        ),
        Dataset("iris", 150, 5, "flowers, measurements cut into 3 bins of equal width", f"R. A. Fisher; {_UCI}"),
        Dataset("nursery", 12960, 9, "applications for nursery schools", f"V. Rajkovic; {_UCI}"),
        Dataset("tic-tac-toe", 958, 10, "all boards at the end of a game", f"D. Aha; {_UCI}"),
        Dataset("zoo", 101, 17, "animals and their attributes", f"R. Forsyth; {_UCI}"),
    )
}
