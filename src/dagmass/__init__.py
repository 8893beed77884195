"""Which Bayesian networks explain a table, how much of the posterior they hold, and what follows over all of them.

>>> import dagmass as dm
>>> posterior = dm.learn("zoo", k=100)
"""

try:
    from dagmass import _core  # noqa: F401
except ImportError as error:
    raise ImportError(
        "dagmass was not built: its native part is missing. Install it with 'pip install .' in its folder; "
        "a C++ compiler and CMake are needed."
    ) from error

from dagmass.errors import DagmassError, DagmassWarning, InputError, TooLargeError
from dagmass.exact.sums import Exact, exact
from dagmass.exchange.jkl import read_jkl, write_jkl
from dagmass.graphs.equivalence import EquivalenceClass
from dagmass.graphs.network import Network
from dagmass.job import Job
from dagmass.posterior.best_with import BestWith
from dagmass.posterior.draws import sample
from dagmass.posterior.features import (
    ancestors,
    blanket,
    children,
    descendants,
    edge,
    link,
    parents,
    path,
    separated,
    v_structure,
)
from dagmass.posterior.language import parse_feature
from dagmass.posterior.posterior import Posterior
from dagmass.posterior.probability import Probability
from dagmass.posterior.stopping import StopRule
from dagmass.run.learn import learn
from dagmass.run.plan import plan
from dagmass.run.run_file import load
from dagmass.scores.bdeu import BDeu
from dagmass.scores.constraints import Constraints
from dagmass.scores.local_scores import LocalScores, local_scores
from dagmass.search.best_classes import BestClasses, best_classes
from dagmass.search.best_networks import BestNetworks, best_networks
from dagmass.table.table import Table

__all__ = [
    "BDeu",
    "BestClasses",
    "BestNetworks",
    "BestWith",
    "Constraints",
    "DagmassError",
    "DagmassWarning",
    "EquivalenceClass",
    "Exact",
    "InputError",
    "Job",
    "LocalScores",
    "Network",
    "Posterior",
    "Probability",
    "StopRule",
    "Table",
    "TooLargeError",
    "ancestors",
    "best_classes",
    "best_networks",
    "blanket",
    "children",
    "descendants",
    "edge",
    "exact",
    "learn",
    "link",
    "load",
    "local_scores",
    "parents",
    "parse_feature",
    "path",
    "plan",
    "read_jkl",
    "sample",
    "separated",
    "v_structure",
    "write_jkl",
]
