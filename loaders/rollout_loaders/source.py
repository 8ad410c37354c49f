"""Read-only access to what is inspected: heads, whole small files, private copies of databases and of stdin.

Nothing here writes to or beside a source (CONTRACT 2). What cannot be read is a `ReadError` that names the path.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO

from . import bounds
from .errors import ReadError
from .remote.path import RemotePath

HEAD_SIZE = 65536
_COPY_TRIES = 6
_PAUSE = 0.05
_WAL_HEADER = 32
_CHUNK = 1 << 20
_KINDS = (
    (stat.S_ISFIFO, "a named pipe (FIFO)"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
    (stat.S_ISDIR, "a folder"),
)


def special_kind(mode: int) -> str | None:
    """What a thing of this `st_mode` is when it is no regular file, in words; None for a regular file."""
    if stat.S_ISREG(mode):
        return None
    return next((words for test, words in _KINDS if test(mode)), "no regular file")


def read_error(path: str | Path, error: OSError) -> ReadError:
    """An operating system's refusal as the one line a user reads."""
    hints = {
        errno.ENOENT: "check the spelling",
        errno.EACCES: "check its permissions and those of the folders above it",
        errno.EPERM: "check its permissions",
        errno.ELOOP: "the symbolic link leads back to itself",
        errno.ENOSPC: "set TMPDIR to a folder with room for a private copy",
        errno.EMFILE: "raise the limit of open files (ulimit -n)",
    }
    reasons = {errno.ENOENT: "does not exist", errno.EACCES: "permission denied", errno.EPERM: "permission denied"}
    number = error.errno or 0
    reason = reasons.get(number) or (error.strerror or type(error).__name__).lower()
    return ReadError(str(path), reason, hints.get(number, ""))


def is_file(path: Path) -> bool:
    """Whether a file is there; no, where it cannot be asked about: ids and long names make paths that none can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def state_of(path: str | Path) -> tuple[int, int, int, int] | None:
    """Inode, size, times of the content and of the entry: what differs was written. None where it cannot be asked."""
    try:
        state = os.stat(path)  # noqa: PTH116 - asked for every file of a folder: pathlib takes twice as long
    except (OSError, ValueError):
        return None
    return state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def open_file(path: Path) -> BinaryIO:
    """Open a regular file for reading. A FIFO, device or folder is refused before it can block.

    Of an object behind a URL, the file reads ranges of one state of it.
    """
    if isinstance(path, RemotePath):
        return path.open_binary()
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
    try:
        kind = special_kind(path.stat().st_mode)
        if kind is not None:
            raise ReadError(str(path), f"is {kind}", "name a regular file")
        try:
            fd = os.open(path, flags | getattr(os, "O_NOATIME", 0))
        except PermissionError:  # only an owner may ask for O_NOATIME
            fd = os.open(path, flags)
    except OSError as error:
        raise read_error(path, error) from error
    except ValueError as error:  # a NUL in the path
        raise ReadError(repr(str(path)), "is no path", str(error)) from error
    # Between stat and open the path may have become something else.
    kind = special_kind(os.fstat(fd).st_mode)
    if kind is not None:
        os.close(fd)
        raise ReadError(str(path), f"is {kind}", "name a regular file")
    return os.fdopen(fd, "rb", HEAD_SIZE)  # a long line is put together of fewer pieces


def size_of(file: BinaryIO) -> int:
    """Bytes of a file that `open_file` gave. Raises `OSError`."""
    size = getattr(getattr(file, "raw", None), "size", None)  # of a `RemoteFile`
    return size if isinstance(size, int) else os.fstat(file.fileno()).st_size


def head(path: Path, size: int = HEAD_SIZE) -> bytes:
    """The first `size` bytes. Raises `ReadError`."""
    return read_range(path, 0, size)


def read_range(path: Path, start: int, length: int) -> bytes:
    """Bytes `[start, start + length)` as far as the file goes; of a URL no others are read. Raises `ReadError`."""
    if isinstance(path, RemotePath):
        return path.read_range(start, length)
    with open_file(path) as file:
        try:
            file.seek(start)
            return file.read(length)
        except OSError as error:
            raise read_error(path, error) from error


def read_whole(path: Path, limit: int | None = None) -> bytes:
    """All bytes of a file that is one document.

    Raises: `ReadError`, also when it is larger than `limit` (`bounds.FILE` for None), or grows beyond it meanwhile.
    """
    with open_file(path) as file:
        try:
            most = bounds.FILE.value if limit is None else limit
            size = size_of(file)
            data = b"" if size > most else file.read(size + 1)  # a number that is far too large is room taken at once
            while len(data) > size and len(data) <= most and (more := file.read(_CHUNK)):  # it grows meanwhile
                data += more
            if size > most or len(data) > most:
                said = f"is {max(size, len(data)):,} bytes, more than {most:,}"
                raise ReadError(str(path), said, f"set {bounds.FILE.variable} to read it" if limit is None else "")
            return data
        except OSError as error:
            raise read_error(path, error) from error


@contextlib.contextmanager
def private_copy(db: Path) -> Generator[Path, None, None]:
    """A copy of a SQLite database with its `-wal` in a private folder, removed afterwards; never its `-shm`.

    Opening the original, even read-only, creates a `-shm` beside it, and `immutable=1` ignores the WAL (formats 1.1).
    The copy is made again when the database changed or its WAL was restarted meanwhile; a WAL that only grew is fine,
    since its frames carry checksums and a torn last transaction is not read. Raises `ReadError`.
    """
    with _private_folder() as folder:
        copy = folder / "copy.db"
        for attempt in range(_COPY_TRIES):
            before = _fingerprint(db)
            _copy_side_by_side(db, copy)
            if _fingerprint(db) == before:
                break
            time.sleep(_PAUSE * (attempt + 1))
        else:
            raise ReadError(
                str(db), f"changed during each of {_COPY_TRIES} copies", "wait until its writer has stopped"
            )
        yield copy


@contextlib.contextmanager
def spooled_stdin(stream: BinaryIO | None = None) -> Generator[Path, None, None]:
    """Standard input as a private temporary file, so that every reader can seek in it; removed afterwards."""
    source = stream if stream is not None else sys.stdin.buffer
    _refuse_device(source)
    with _private_folder() as folder:
        spool = folder / "stdin"
        try:
            with spool.open("wb") as target:
                _copy_bounded(source, target)
        except OSError as error:
            raise read_error("-", error) from error
        yield spool


def _refuse_device(stream: BinaryIO) -> None:
    """A terminal may be typed into; any other device, such as `/dev/zero`, has no end."""
    try:
        state, is_terminal = os.fstat(stream.fileno()), stream.isatty()
    except (OSError, ValueError):  # a stream of memory
        return
    empty = Path(os.devnull)
    if stat.S_ISCHR(state.st_mode) and not is_terminal and not os.path.samestat(state, empty.stat()):
        raise ReadError("-", "standard input is a character device", "pipe a file into it")


def _copy_bounded(stream: BinaryIO, target: BinaryIO) -> None:
    left = bounds.FILE.value
    while block := stream.read(_CHUNK):
        left -= len(block)
        if left < 0:
            raise bounds.FILE.beyond("-", "standard input")
        target.write(block)


@contextlib.contextmanager
def _private_folder() -> Generator[Path, None, None]:
    root = tempfile.gettempdir()
    # Python falls back to the current folder, which may be the very tree that is being read.
    named = any(os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    if not named and Path(root) == Path.cwd() and Path(root) not in map(Path, ("/tmp", "/var/tmp", "/usr/tmp")):
        raise ReadError(root, "no temporary folder is writable", "set TMPDIR to one")
    try:
        holder = tempfile.TemporaryDirectory(prefix="rollout-inspect-", ignore_cleanup_errors=True)
    except OSError as error:
        raise read_error(root, error) from error
    with holder as folder:
        yield Path(folder)


def _copy_side_by_side(db: Path, copy: Path) -> None:
    # `-journal` matters only for a database that is not in WAL mode and was killed inside a transaction.
    for suffix in ("", "-wal", "-journal"):
        source, target = db.with_name(f"{db.name}{suffix}"), Path(f"{copy}{suffix}")
        target.unlink(missing_ok=True)
        if suffix and not lies_there(source):
            continue
        try:
            with open_file(source) as reading, target.open("wb") as writing:
                if size_of(reading) > bounds.FILE.value:
                    raise bounds.FILE.beyond(str(source), "the database")
                shutil.copyfileobj(reading, writing, _CHUNK)
        except OSError as error:
            raise read_error(source, error) from error


def _fingerprint(db: Path) -> tuple[object, ...]:
    if isinstance(db, RemotePath):
        db = RemotePath(db.url)  # in a session of its own, which asks the server anew
    try:
        state = db.stat()
    except OSError as error:
        raise read_error(db, error) from error
    wal = db.with_name(f"{db.name}-wal")
    salts = b""
    if lies_there(wal):
        salts = head(wal, _WAL_HEADER)
    if isinstance(db, RemotePath):
        return (db.state.version, salts)
    return (state.st_ino, state.st_dev, state.st_size, state.st_mtime_ns, salts)


def lies_there(path: Path) -> bool:
    """Whether a file of a database is there. Raises `ReadError` where that cannot be told, as it can of a URL only.

    A database without its `-wal` would be read without its last rows.
    """
    return path.is_there() if isinstance(path, RemotePath) else is_file(path)
