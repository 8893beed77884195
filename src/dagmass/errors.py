"""The errors that dagmass raises on purpose. Each message states the rule, the value met and the way out."""


class DagmassError(Exception):
    """Something failed; the base of all errors of this package."""

    exit_code = 1


class InputError(DagmassError, ValueError):
    """The data or an option cannot be used as given."""

    exit_code = 2


class NoNetworkError(InputError):
    """What is allowed leaves no network."""


class NotCertifiedError(InputError):
    """Sums over networks cannot keep the precision they promise."""


class TooLargeError(DagmassError, MemoryError):
    """The work would not fit into memory."""

    exit_code = 3


class DagmassWarning(UserWarning):
    """Something works, but probably not as its user thinks."""
