"""What benchmarks share: how a goal is stated."""

from __future__ import annotations

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
