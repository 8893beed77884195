"""Posteriors made of draws, and draws that complete the answer of the best networks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagmass.errors import InputError
from dagmass.exact.sampler import Sampler
from dagmass.graphs.equivalence import representatives
from dagmass.job import Job
from dagmass.posterior.features import Networks
from dagmass.posterior.intervals import clopper_pearson
from dagmass.posterior.origin import Origin
from dagmass.posterior.probability import Probability, average_of, bounded, probability, read_feature
from dagmass.scores.local_scores import LocalScores

if TYPE_CHECKING:
    from dagmass.posterior.posterior import Posterior

CHUNK = 1000
DRAWS_FOR_EACH_WANTED = 50  # the search for draws outside the best networks gives up after so many times the number wanted


def complete_with_draws(posterior: Posterior, feature: object, draws: int, seed: int = 0) -> Probability:
    """Join what the best networks say with an estimate from draws outside them.

    P(f) = coverage * (average over the networks at hand) + (1 - coverage) * (share among draws that fall outside). The interval is that
    of Clopper and Pearson for the share, scaled, and never leaves the bounds. Where the average over large classes is uncertain too, both
    intervals are made so wide that together they miss in 5 % at most.
    """
    answer = probability(posterior, feature)
    if answer.method != "bounds":
        return answer
    if posterior.exact is None or posterior.coverage is None:
        raise InputError(
            "Draws complete the best networks only when the share of the posterior that they hold is known (evidence=True, --evidence yes; "
            "never where every class counts once)."
        )
    parsed = read_feature(posterior, feature)
    outside = draws_outside(posterior, draws, seed)
    if not len(outside):
        return answer
    confidence = 0.975 if answer.num_draws else 0.95
    held = int(np.count_nonzero(parsed.mask(Networks(posterior.variables, outside))))
    least, largest = posterior.coverage_range
    inside = average_of(posterior, parsed, confidence)
    certain = bounded(posterior, inside)
    low, high = clopper_pearson(held, len(outside), confidence)
    share = held / len(outside)
    value = posterior.coverage * inside.value + (1 - posterior.coverage) * share
    bounds = [
        cover * within + (1 - cover) * beyond for cover in (least, largest) for within, beyond in ((inside.low, low), (inside.high, high))
    ]
    return Probability(
        value=min(max(value, certain.low), certain.high),
        low=max(min(bounds), certain.low),
        high=min(max(bounds), certain.high),
        method="estimate",
        average=certain.average,
        num_networks=len(posterior),
        coverage=posterior.coverage,
        num_draws=len(outside),
        standard_error=math.hypot(
            posterior.coverage * inside.standard_error, (1 - posterior.coverage) * math.sqrt(share * (1 - share) / len(outside))
        ),
        what=posterior.what,
    )


def draws_outside(posterior: Posterior, wanted: int, seed: int) -> NDArray[np.uint64]:
    """Draw until `wanted` networks fall outside those at hand, or a limit; return those outside."""
    sampler = Sampler(posterior.origin.scores(), seed, posterior.origin.job)
    at_hand = {row.tobytes() for row in posterior.parents}
    found: list[NDArray[np.uint64]] = []
    count = 0
    while count < wanted and sampler.num_drawn < DRAWS_FOR_EACH_WANTED * wanted:
        drawn = sampler.draw(CHUNK)
        known_by = representatives(drawn) if posterior.classes_masses else drawn
        fresh = drawn[[row.tobytes() not in at_hand for row in known_by]]
        found.append(fresh[: wanted - count])
        count += len(found[-1])
    return np.concatenate(found) if found else np.zeros((0, len(posterior.variables)), dtype=np.uint64)


def sample(scores: LocalScores, num: int = 1000, seed: int = 0, job: Job | None = None) -> Posterior:
    """Draw networks independently from the exact posterior; every answer is an estimate with its interval.

    Examples
    --------
    >>> scores = LocalScores.from_dict({"a": {(): 0.0}, "b": {(): 0.0, ("a",): 1.0}})
    >>> sample(scores, 1000, seed=1).probability("edge(a, b)").method
    'estimate'
    """
    from dagmass.posterior.posterior import Posterior, Ties, check_count

    num = check_count("num", num)
    parents = Sampler(scores, seed, job).draw(num)
    units = scores.of_networks(parents)
    order = np.lexsort((*parents.T[::-1], -units))
    units = units[order]
    return Posterior(
        variables=scores.variables,
        parents=np.ascontiguousarray(parents[order]),
        scores=units,
        fraction_bits=scores.fraction_bits,
        ties=Ties(int(np.count_nonzero(units == units[-1])), more=False),
        k=num,
        stopped_by="draws",
        origin=Origin(job=job or Job(), known_scores=scores),
        is_drawn=True,
    )
