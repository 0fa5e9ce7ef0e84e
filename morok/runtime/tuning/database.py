"""The tuning database: the fastest schedules that searches have found, on disk for all processes.

    database = tuning_database(config)          None where the options forbid it
    database.put(entry)                         False where the disk does not let us
    database.get(key)                           the entry of a kernel, or None

One SQLite file, `tuning/tuning.sqlite3` in the cache directory. Each call opens it anew, so that threads, forks and other processes do not meet.
A file that is damaged, or of another make, counts as empty and is replaced by the next `put`. Nothing here raises because of the disk, but
`import_entries` and `clear`, which a user asks for.
"""
from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import MorokError
from ...passes.optimize.opts import parse_opts
from ..config import Config
from ..disk_cache import _private as is_private

if TYPE_CHECKING:
    import sqlite3

FORMAT = 1
"""Of the table; kept as the file's user_version."""
MOST = 1 << 63
"""Numbers of an entry are less: SQLite keeps no greater integers."""
WAIT = 5.0
"""Seconds that a call waits for other processes."""


class TuningError(MorokError, ValueError):
    """A tuning database or an exported file that cannot be used."""


@dataclass(frozen=True)
class Entry:
    """A kernel's schedule and how it was found."""

    key: str
    """Digest of the kernel's IR, CPU and features, thread count, back end, versions."""
    kernel: str
    """What the kernel is, for people."""
    cpu: str
    threads: int
    backend: str
    versions: str
    opts: str
    seconds: float
    """Of one run."""
    heuristic_seconds: float
    """Of one run under the heuristic's schedule, measured beside it."""
    candidates: int
    """How many were tried."""


_COLUMNS = ", ".join(f.name for f in fields(Entry))
_CREATE = f"create table if not exists schedules ({_COLUMNS}, primary key (key))"


class TuningDatabase:
    """The database in one file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def exists(self) -> bool:
        """Whether there is such a file, as far as we may look."""
        return os.path.isfile(self.path)

    def get(self, key: str) -> Entry | None:
        """The entry of a kernel."""
        return next((e for e in self._read("where key = ?", (key,))), None)

    def entries(self) -> list[Entry]:
        """All entries, kernels in alphabetical order."""
        return list(self._read("order by kernel, key", ()))

    def put(self, *entries: Entry) -> bool:
        """Enters them, all or none; whether that worked."""
        import sqlite3
        if not is_private(self.path.parent):
            return False
        for _ in range(2):
            seen = _identity(self.path)
            try:
                with self._open() as connection, connection:
                    connection.execute("begin immediate")
                    if connection.execute("pragma user_version").fetchone()[0] not in (0, FORMAT):
                        raise sqlite3.DatabaseError("of another make")
                    connection.execute(_CREATE)
                    connection.execute(f"pragma user_version = {FORMAT}")
                    marks = ", ".join("?" * len(fields(Entry)))
                    connection.executemany(f"insert or replace into schedules ({_COLUMNS}) values ({marks})", [astuple(e) for e in entries])
                return True
            except sqlite3.Error as error:
                if not _is_damage(error) or not self._remove(seen):
                    return False
            except OSError:
                return False
        return False

    def clear(self) -> int:
        """Removes all entries; how many there were. TuningError where the file cannot be removed."""
        count = len(self.entries())
        try:
            self.path.unlink(missing_ok=True)
            Path(f"{self.path}-journal").unlink(missing_ok=True)
        except OSError as error:
            raise TuningError(f"cannot remove '{self.path}': {error.strerror}") from None
        return count

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        import sqlite3
        with closing(sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)) as connection:
            yield connection

    def _read(self, clause: str, values: tuple) -> list[Entry]:
        if not self.exists or not is_private(self.path.parent):
            return []
        import sqlite3
        try:
            with self._open() as connection:
                if connection.execute("pragma user_version").fetchone()[0] != FORMAT:
                    return []
                rows = connection.execute(f"select {_COLUMNS} from schedules {clause}", values).fetchall()
        except (sqlite3.Error, OSError, UnicodeError):
            return []
        return [entry for row in rows if (entry := _entry(dict(zip([f.name for f in fields(Entry)], row)))) is not None]

    def _remove(self, seen: tuple | None) -> bool:
        """Removes a damaged file, if it is still the one that was seen."""
        if _identity(self.path) != seen:
            return True
        try:
            Path(f"{self.path}-journal").unlink(missing_ok=True)
            self.path.unlink(missing_ok=True)
        except OSError:
            return False
        return True


def _identity(path: Path) -> tuple | None:
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return facts.st_ino, facts.st_mtime_ns, facts.st_size


def _is_damage(error: sqlite3.Error) -> bool:
    """Whether the file is at fault, not the disk or another process."""
    import sqlite3
    if isinstance(error, sqlite3.OperationalError):
        return "no such column" in str(error) or "has no column" in str(error) or "no such table" in str(error)
    return isinstance(error, sqlite3.DatabaseError)


def _is_value(kind: type, value: Any) -> bool:
    """Whether a search could have found it: text for one line, or a number that is not negative and that SQLite keeps."""
    if kind is str:
        return isinstance(value, str) and value.isprintable()
    return not isinstance(value, bool) and isinstance(value, (int, float) if kind is float else int) and 0 <= value < MOST


def _entry(row: dict[str, Any]) -> Entry | None:
    """The entry of a row; None where it is none."""
    wanted = {"str": str, "int": int, "float": float}
    try:
        values = {}
        for f in fields(Entry):
            kind = wanted[str(f.type)]
            value = row[f.name]
            if not _is_value(kind, value):
                return None
            values[f.name] = kind(value)
        parse_opts(values["opts"])
    except (KeyError, ValueError):
        return None
    return Entry(**values) if set(row) == set(values) else None


def exported(entries: Iterable[Entry]) -> str:
    """Entries as JSON, one a line."""
    lines = ",\n".join(json.dumps(asdict(e)) for e in entries)
    return f'{{"format": {FORMAT}, "schedules": [\n{lines}\n]}}\n'


def imported(text: str) -> list[Entry]:
    """The entries of an exported text; TuningError for another text."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TuningError(f"not JSON: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT or not isinstance(content.get("schedules"), list):
        raise TuningError(f"not what 'morok-tune export' writes (format {FORMAT})")
    found = []
    for number, row in enumerate(content["schedules"]):
        entry = _entry(row) if isinstance(row, dict) else None
        if entry is None:
            raise TuningError(f"schedule {number} is none: it needs {_COLUMNS}, with opts that morok-apply-opts takes")
        found.append(entry)
    return found


def database_path(config: Config) -> Path:
    return Path(config.cache_dir, "tuning", "tuning.sqlite3")


def tuning_database(config: Config) -> TuningDatabase | None:
    """The database of these options; None where they forbid it."""
    return TuningDatabase(database_path(config)) if config.tuning and config.cache_dir else None


def database_state(config: Config) -> list[int] | None:
    """Something that changes whenever the database does: plans that were made before may hold other schedules."""
    found = _identity(database_path(config)) if config.tuning and config.cache_dir else None
    return None if found is None else list(found)
