"""Files that outlive the process: machine code and plans, by digests of all that they were made from.

    cache = disk_cache(config)                 one per directory; every call of it is safe, whatever the disk is like
    cache.put(key, content)
    cache.get(key)                             the content, or None

The directory is private. A file is written under another name and renamed, and starts with a digest of its key and content: what is damaged,
cut short, of another key or of another owner is no entry. Whatever goes wrong only means that something is compiled again. When the files
take more than the limit, those go that were used longest ago.
"""
from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import threading
from functools import cache
from pathlib import Path

from ..fork_safety import renewed_after_fork
from .config import Config
from .fingerprint import is_settled

MAGIC = b"morok-cache-1\n"
_DIGEST = 32
_KEPT = 0.75
"""Of the limit: what eviction leaves."""


class DiskCache:
    """A directory of entries. `hits` and `misses` count look-ups."""

    def __init__(self, directory: Path, limit: int) -> None:
        self.directory, self.limit = directory, limit
        self.hits = self.misses = 0
        self.usable = _private(directory)
        """False once the directory turned out not to be ours to use."""
        self._lock = threading.Lock()
        renewed_after_fork(self, "_lock", threading.Lock)
        self._size: int | None = None

    def get(self, key: str) -> bytes | None:
        """The content of an entry; marks it as used."""
        content = self._read(key) if self.usable else None
        if content is None:
            self.misses += 1
        else:
            self.hits += 1
        return content

    def put(self, key: str, content: bytes) -> None:
        """Enters content, if the disk lets us."""
        if not self.usable:
            return
        data = MAGIC + _digest(key, content) + content
        if len(data) > self.limit:
            return
        try:
            handle, name = tempfile.mkstemp(prefix=".new-", dir=self.directory)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                os.replace(name, self._path(key))
            except BaseException:
                os.unlink(name)
                raise
        except OSError:  # full, read-only, gone: we do without
            self.usable = False
            return
        self._grow(len(data))

    def clear(self) -> None:
        """Removes all entries."""
        for _, _, path in self._entries():
            _remove(path)
        self._size = None

    def _path(self, key: str) -> str:
        return os.path.join(self.directory, key)

    def _read(self, key: str) -> bytes | None:
        try:
            handle = os.open(self._path(key), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
        except OSError:
            return None
        try:
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode) or not _ours(facts):
                return None
            data = b""
            while len(data) < facts.st_size and (part := os.read(handle, facts.st_size - len(data))):
                data += part
            start = len(MAGIC) + _DIGEST
            content = data[start:]
            if not data.startswith(MAGIC) or data[len(MAGIC):start] != _digest(key, content):
                return None
            if os.utime in os.supports_fd:
                os.utime(handle)
            return content
        except OSError:
            return None
        finally:
            os.close(handle)

    def _grow(self, nbytes: int) -> None:
        """Counts what was written, and makes room when it is too much. Other processes write too: what counts is a look at the directory."""
        with self._lock:
            if self._size is not None:
                self._size += nbytes
            if self._size is None or self._size > self.limit:
                entries = sorted(self._entries())
                self._size = sum(size for _, size, _ in entries)
                if self._size > self.limit:
                    for _, size, path in entries:
                        if self._size <= _KEPT * self.limit:
                            break
                        _remove(path)
                        self._size -= size

    def _entries(self) -> list[tuple[int, int, str]]:
        """(when used, bytes, path) of all files, those left over from writers that died included."""
        found = []
        try:
            with os.scandir(self.directory) as files:
                for file in files:
                    facts = file.stat(follow_symlinks=False)
                    found.append((facts.st_mtime_ns, facts.st_size, file.path))
        except OSError:
            pass
        return found


def _digest(key: str, content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST, person=hashlib.blake2b(key.encode(), digest_size=16).digest()).digest()


def _ours(facts: os.stat_result) -> bool:
    """Whether nobody but this user (or root) can have written there."""
    return not hasattr(os, "getuid") or facts.st_uid == os.getuid() and not facts.st_mode & 0o022


def _private(directory: Path) -> bool:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = os.stat(directory)
        return stat.S_ISDIR(facts.st_mode) and _ours(facts)
    except (OSError, ValueError):
        return False


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


@cache
def _cache_at(directory: Path, limit: int) -> DiskCache:
    return DiskCache(directory, limit)


def disk_cache(config: Config) -> DiskCache | None:
    """The cache of these options; None where they forbid one. What shows or checks each stage compiles always."""
    if not config.cache or config.check or config.debug or not is_settled():
        return None
    found = _cache_at(Path(config.cache_dir), config.cache_limit << 20)
    return found if found.usable else None
