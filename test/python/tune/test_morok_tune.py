"""morok-tune: each command, and each error on one line with exit code 1."""

import io

import pytest
from test_database import ENTRY

from morok.runtime.tuning.database import TuningDatabase
from morok.tools.morok_tune import MorokTune


@pytest.fixture
def database(tmp_path):
    database = TuningDatabase(tmp_path / "tuning" / "tuning.sqlite3")
    database.put(ENTRY)
    return database


@pytest.fixture
def tune(tmp_path):
    def run(*arguments, stdin=b"", directory=tmp_path):
        out, err = io.StringIO(), io.StringIO()
        code = MorokTune().main([*arguments, f"--cache-dir={directory}"], io.BytesIO(stdin), out, err)
        return code, out.getvalue(), err.getvalue()
    return run


def test_show(tune, database):
    code, out, err = tune("show")
    assert code == 0 and not err
    assert "1 schedules" in out and "opts: UPCAST(0,4)" in out and "1.0 us; the heuristic's schedule 2.0 us, 2.00 times as long" in out


def test_export_and_import(tune, database, tmp_path):
    file = tmp_path / "out.json"
    assert tune("export", "-o", str(file)) == (0, "", "")
    other = tmp_path / "other"
    assert tune("import", str(file), directory=other)[0] == 0
    assert TuningDatabase(other / "tuning" / "tuning.sqlite3").entries() == [ENTRY]


def test_import_from_standard_input(tune, database, tmp_path):
    text = tune("export")[1].encode()
    assert tune("import", "-", stdin=text, directory=tmp_path / "other")[0] == 0


def test_clear(tune, database):
    assert tune("clear")[0] == 0 and database.entries() == []
    assert "0 schedules" in tune("show")[1]


@pytest.mark.parametrize("arguments, part", [
    ([], "takes one of show"), (["shew"], "not 'shew'"), (["show", "x"], "takes no file"), (["import"], "takes one file"), (["show", "--x"], "unknown flag"),
    (["import", "/no/such/file"], "cannot open"), (["import", "-"], "not JSON")])
def test_errors(tune, arguments, part):
    code, out, err = tune(*arguments)
    assert code == 1 and not out
    assert err.startswith("morok-tune: error: ") and part in err and err.count("\n") == 1


def test_what_cannot_be_written_is_an_error(tune, database, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = tune("import", "-", stdin=tune("export")[1].encode(), directory=tmp_path / "file")
    assert code == 1 and "cannot write" in err


def test_help_and_version(tune):
    assert "show | export | import" in tune("--help")[1] and tune("--version")[1].startswith("morok-tune ")
