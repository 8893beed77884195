"""Tables and finished stages in a folder: for what memory does not hold, and for work that is to go on after a stop."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.errors import InputError, TooLargeError
from dagmass.files import write_bytes
from dagmass.job import in_units

FORMAT = 1
ABOUT = "checkpoint.json"
SEAL_LENGTH = 32


class Store:
    """A folder of tables over all subsets, and, if it is a checkpoint, of arrays that a stage ended with.

    `identity` says what is computed: a checkpoint of anything else is refused, and its files would not be believed either.
    """

    def __init__(self, folder: Path, identity: dict[str, Any], *, is_checkpoint: bool) -> None:
        self.folder = folder
        self.is_checkpoint = is_checkpoint
        self._lock: _Lock | None = None
        self._digest = hashlib.sha256(json.dumps({"format": FORMAT, **identity}, sort_keys=True).encode())

    @classmethod
    def checkpoint(cls, folder: str | Path, identity: dict[str, Any]) -> Store:
        """Open a checkpoint, or begin one in a folder that is empty or new."""
        store = cls(Path(folder), identity, is_checkpoint=True)
        try:
            store.folder.mkdir(parents=True, exist_ok=True)
            store._lock = _lock_of(store.folder)
            is_empty = all(path.name.startswith(".") for path in store.folder.iterdir())  # hidden: the lock, and what a kill left over
        except OSError as error:
            raise InputError(f"The checkpoint {str(folder)!r} cannot be used as a folder: {error.strerror}.") from None
        store._check_about(is_empty)
        return store

    @classmethod
    def temporary(cls) -> Store:
        """Make a folder that goes when nobody needs it any more; what it holds is of no use to other work."""
        folder = tempfile.mkdtemp(prefix="dagmass-")
        store = cls(Path(folder), {}, is_checkpoint=False)
        weakref.finalize(store, shutil.rmtree, folder, ignore_errors=True)
        return store

    def table(self, name: str, num_variables: int) -> _core.ScoreFile:
        """Return the file of a table of scores over all subsets; its space is reserved."""
        path = self.folder / f"{name}.table"
        try:
            file = _core.ScoreFile(str(path), num_variables, self._key(name))
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise InputError(f"The table {str(path)!r} cannot be written: {error}.") from None
            needed, free = _core.ScoreFile.num_bytes(num_variables), shutil.disk_usage(self.folder).free
            raise TooLargeError(
                f"A table of {num_variables} variables takes {in_units(needed)} of disk; {in_units(free)} are free in "
                f"{str(self.folder)!r}. Name a folder with more room (--checkpoint DIR, or TMPDIR in the environment)."
            ) from None
        if not self.is_checkpoint:
            path.unlink()  # its space is free as soon as nobody has it open, however the process ends
        return file

    def save(self, name: str, arrays: tuple[NDArray[Any], ...]) -> None:
        """Keep what a stage ended with; nothing without a checkpoint."""
        if not self.is_checkpoint:
            return
        buffer = io.BytesIO()
        np.savez(buffer, *arrays)
        content = buffer.getvalue()
        write_bytes(self._path(name), [content, self._seal(name, content)])

    def load(self, name: str) -> tuple[NDArray[Any], ...] | None:
        """Return what a stage ended with; None where that is missing or damaged."""
        if not self.has(name):
            return None
        try:
            sealed = self._path(name).read_bytes()
        except OSError:
            return None
        content = sealed[:-SEAL_LENGTH]
        if sealed[-SEAL_LENGTH:] != self._seal(name, content):
            return None
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            return tuple(archive.values())

    def has(self, name: str) -> bool:
        """Tell whether a stage has ended."""
        return self.is_checkpoint and self._path(name).exists()

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.stage"

    def _key(self, name: str) -> int:
        digest = self._digest.copy()
        digest.update(name.encode())
        return int.from_bytes(digest.digest()[:8], "little")

    def _seal(self, name: str, content: bytes) -> bytes:
        return hashlib.sha256(self._key(name).to_bytes(8, "little") + content).digest()

    def _check_about(self, is_empty: bool) -> None:
        path = self.folder / ABOUT
        ours = {"format": FORMAT, "work": self._digest.hexdigest()}
        if is_empty:
            write_bytes(path, [json.dumps(ours).encode()])
            return
        try:
            found = json.loads(path.read_bytes())
        except (OSError, ValueError):
            raise InputError(
                f"{str(self.folder)!r} is neither empty nor a checkpoint. Name a folder that is empty or new (--checkpoint DIR)."
            ) from None
        if found != ours:
            raise InputError(
                f"{str(self.folder)!r} is the checkpoint of other work: other data, another score, other limits on parents or another "
                "version. Repeat that command, or name a folder that is empty or new (--checkpoint DIR)."
            )

    def __getstate__(self) -> dict[str, object]:
        raise TypeError("A store belongs to its process.")


class _Lock:
    """Keeps other processes out of a folder. All stores of this process share it: closing one would undo the others."""

    def __init__(self, folder: Path) -> None:
        file = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
        weakref.finalize(self, os.close, file)
        try:
            import fcntl
        except ImportError:  # no such locks on this system
            return
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EAGAIN):
                return  # a file system without locks
            raise InputError(f"Another process works with the checkpoint {str(folder)!r}. Wait for it, or name another folder.") from None


_locks: weakref.WeakValueDictionary[str, _Lock] = weakref.WeakValueDictionary()


def _lock_of(folder: Path) -> _Lock:
    name = os.path.realpath(folder)
    lock = _locks.get(name)
    if lock is None:
        lock = _locks[name] = _Lock(folder)
    return lock
