"""What benchmarks share: how a goal is stated, and peak memory."""

from __future__ import annotations

import resource
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def timed(benchmark: Any) -> Callable[..., Any]:
    """Run something a few times and note how its fastest time compares with the goal in seconds."""

    def run(goal: float, work: Callable[[], Any], rounds: int = 3) -> Any:
        result = benchmark.pedantic(work, rounds=rounds, warmup_rounds=1 if rounds > 1 else 0)
        benchmark.extra_info["goal"] = goal
        benchmark.extra_info["of goal"] = f"{benchmark.stats.stats.min / goal:.2f}"
        print(f"\n{benchmark.name}: {benchmark.stats.stats.min:.3f} s, {benchmark.stats.stats.min / goal:.2f} of the goal {goal} s")
        return result

    return run


def peak_megabytes() -> float:
    """Return the peak resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
