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
from dagmass.exchange.jkl import read_jkl, write_jkl
from dagmass.graphs.network import Network
from dagmass.job import Job
from dagmass.posterior.posterior import Posterior
from dagmass.run.learn import learn
from dagmass.run.plan import plan
from dagmass.scores.bdeu import BDeu
from dagmass.scores.local_scores import LocalScores, local_scores
from dagmass.search.best_networks import BestNetworks, best_networks
from dagmass.table.table import Table

__all__ = [
    "BDeu",
    "BestNetworks",
    "DagmassError",
    "DagmassWarning",
    "InputError",
    "Job",
    "LocalScores",
    "Network",
    "Posterior",
    "Table",
    "TooLargeError",
    "best_networks",
    "learn",
    "local_scores",
    "plan",
    "read_jkl",
    "write_jkl",
]
