"""Writing files so that a reader never meets half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from dagmass.errors import DagmassError, InputError


def require_target(path: str | Path) -> None:
    """Refuse a file in a folder that does not exist, and a folder in place of a file, before any work is done for it."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise InputError(f"There is no folder {str(folder)!r} to write to.")
    if Path(path).is_dir():
        raise InputError(f"{str(path)!r} is a folder; a file of that name cannot be written. Give another name.")


def write_text(path: str | Path, chunks: Iterable[str]) -> None:
    """Write text as `write_bytes` does."""
    write_bytes(path, (chunk.encode() for chunk in chunks))


def write_bytes(path: str | Path, chunks: Iterable[bytes]) -> None:
    """Write to a temporary file beside the target and rename it into place; of a link, the target is what it leads to.

    The mode stays that of the file that is replaced.
    """
    target = Path(os.path.realpath(path))
    try:
        with tempfile.NamedTemporaryFile("wb", dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            temporary = Path(file.name)
            try:
                file.writelines(chunks)
                file.flush()
                os.fsync(file.fileno())
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        try:
            temporary.chmod(_mode_of(target))
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise DagmassError(f"{str(path)!r} cannot be written: {error.strerror}.") from None


def _mode_of(target: Path) -> int:
    """Return the mode of a file, or that of a new one."""
    return target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
