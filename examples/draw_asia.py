"""Draw the packaged `asia` sample: 5000 rows of the network of Lauritzen and Spiegelhalter (1988), seed 1988.

Usage: python examples/draw_asia.py > src/dagmass/run/data/asia.csv
"""

import random

NUM_ROWS = 5000
PROBABILITY_OF_YES = {
    "asia": ((), {(): 0.01}),
    "smoke": ((), {(): 0.5}),
    "tub": (("asia",), {("yes",): 0.05, ("no",): 0.01}),
    "lung": (("smoke",), {("yes",): 0.1, ("no",): 0.01}),
    "bronc": (("smoke",), {("yes",): 0.6, ("no",): 0.3}),
    "either": (("lung", "tub"), {("yes", "yes"): 1.0, ("yes", "no"): 1.0, ("no", "yes"): 1.0, ("no", "no"): 0.0}),
    "xray": (("either",), {("yes",): 0.98, ("no",): 0.05}),
    "dysp": (("bronc", "either"), {("yes", "yes"): 0.9, ("yes", "no"): 0.8, ("no", "yes"): 0.7, ("no", "no"): 0.1}),
}


def draw(generator: random.Random) -> dict[str, str]:
    """Draw one row, parents before children."""
    row: dict[str, str] = {}
    for name, (parents, table) in PROBABILITY_OF_YES.items():
        row[name] = "yes" if generator.random() < table[tuple(row[parent] for parent in parents)] else "no"
    return row


def main() -> None:
    """Print the sample as CSV."""
    generator = random.Random(1988)
    print(",".join(PROBABILITY_OF_YES))
    for _ in range(NUM_ROWS):
        print(",".join(draw(generator).values()))


if __name__ == "__main__":
    main()
