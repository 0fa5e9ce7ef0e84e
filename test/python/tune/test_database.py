"""The tuning database: what is entered is found, and no disk or other process makes it raise."""

import os
import sqlite3
import stat
import subprocess
import sys
from dataclasses import replace

import pytest

from morok.runtime.tuning.database import Entry, TuningDatabase, TuningError, exported, imported

ENTRY = Entry("key", "4xf32 = elementwise", "cpu", 2, "llvm", "morok 0", "UPCAST(0,4)", 1e-6, 2e-6, 7)


@pytest.fixture
def database(tmp_path):
    return TuningDatabase(tmp_path / "tuning" / "tuning.sqlite3")


def test_an_entry_is_found_again(database):
    assert database.get("key") is None
    assert database.put(ENTRY)
    assert database.get("key") == ENTRY and database.get("other") is None


def test_a_later_entry_of_the_same_key_replaces_the_first(database):
    database.put(ENTRY)
    database.put(replace(ENTRY, opts="UPCAST(0,2)"))
    assert database.entries() == [replace(ENTRY, opts="UPCAST(0,2)")]


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + b"\xff" * 4096, b""])
def test_a_damaged_file_is_empty_and_replaced(database, content):
    database.path.parent.mkdir(mode=0o700)
    database.path.write_bytes(content)
    assert database.get("key") is None and database.entries() == []
    assert database.put(ENTRY) and database.get("key") == ENTRY


def test_a_file_cut_short_is_replaced(database):
    database.put(ENTRY)
    database.path.write_bytes(database.path.read_bytes()[:3000])
    assert database.get("key") is None
    assert database.put(ENTRY) and database.get("key") == ENTRY


@pytest.mark.parametrize("statement", ["pragma user_version = 99", "create table schedules (key, other)"])
def test_a_file_of_another_make_is_replaced(database, statement):
    database.path.parent.mkdir(mode=0o700)
    with sqlite3.connect(database.path) as connection:
        connection.execute(statement)
    connection.close()
    assert database.get("key") is None
    assert database.put(ENTRY) and database.get("key") == ENTRY


@pytest.mark.parametrize("column, value", [("opts", "NOISE(0)"), ("seconds", "fast"), ("threads", None)])
def test_a_damaged_row_is_no_entry(database, column, value):
    database.put(ENTRY)
    with sqlite3.connect(database.path) as connection:
        connection.execute(f"update schedules set {column} = ?", (value,))
    connection.close()
    assert database.get("key") is None


@pytest.mark.parametrize("name", ["file", "long" * 2000, "zero\0"], ids=["file", "long", "zero"])
def test_a_directory_that_cannot_be_made_keeps_nothing(tmp_path, name):
    (tmp_path / "file").write_text("")
    database = TuningDatabase(tmp_path / name / "tuning" / "tuning.sqlite3")
    assert not database.exists
    assert not database.put(ENTRY) and database.get("key") is None


def test_a_directory_that_others_may_write_is_not_used(database):
    database.put(ENTRY)
    database.path.parent.chmod(0o777)
    assert not database.put(ENTRY) and database.get("key") is None


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_directory_that_cannot_be_written_keeps_nothing(database):
    database.path.parent.mkdir(mode=0o700)
    database.path.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    assert not database.put(ENTRY)


def test_a_full_disk_keeps_nothing(database, monkeypatch):
    monkeypatch.setattr("morok.runtime.tuning.database.WAIT", 0.1)
    database.put(ENTRY)
    holder = sqlite3.connect(database.path, isolation_level=None)
    holder.execute("begin exclusive")  # as a disk that takes nothing: an OperationalError
    assert not database.put(replace(ENTRY, key="two"))
    assert database.get("key") is None
    holder.execute("rollback")
    holder.close()
    assert database.get("key") == ENTRY


def test_several_processes_enter_at_once(database):
    code = ("import sys; from pathlib import Path; from morok.runtime.tuning.database import *\n"
            "d = TuningDatabase(Path(sys.argv[1]))\n"
            "for i in range(20): assert d.put(Entry(f'{sys.argv[2]} {i}', 'k', 'c', 1, 'llvm', 'v', '', 1.0, 1.0, 1))")
    running = [subprocess.Popen([sys.executable, "-c", code, str(database.path), str(p)]) for p in range(3)]
    assert [p.wait(60) for p in running] == [0, 0, 0]
    assert len(database.entries()) == 60


def test_what_is_exported_can_be_imported():
    entries = [ENTRY, replace(ENTRY, key="two", opts="")]
    assert imported(exported(entries)) == entries


@pytest.mark.parametrize("text, part", [("", "not JSON"), ("[]", "not what"), ('{"format": 99, "schedules": []}', "not what"),
                                        ('{"format": 1, "schedules": [{}]}', "schedule 0"), ('{"format": 1, "schedules": [3]}', "schedule 0")])
def test_another_text_is_not_imported(text, part):
    with pytest.raises(TuningError, match=part):
        imported(text)


@pytest.mark.parametrize("column, value", [("candidates", 10 ** 30), ("candidates", -1), ("seconds", 10 ** 400), ("seconds", float("nan")),
                                           ("heuristic_seconds", float("inf")), ("kernel", "\ud800"), ("kernel", "\x1b[2J"), ("cpu", "two\nlines")])
def test_values_that_no_search_finds_are_not_imported(column, value):
    with pytest.raises(TuningError, match="schedule 0"):
        imported(exported([replace(ENTRY, **{column: value})]))


def test_clear_removes_all(database):
    database.put(ENTRY)
    assert database.clear() == 1 and database.entries() == [] and database.clear() == 0
