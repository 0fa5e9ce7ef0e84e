"""What type checkers make of programs that use morok, installed from its wheel: a realistic one is clean under mypy --strict, wrong uses are found."""

import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import morok

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "typed"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built of a copy, since building writes beside the sources."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(ROOT / "morok", source / "morok", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    build = "import setuptools.build_meta as b, sys; print(b.build_wheel(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", build, str(folder)], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def messages(wheel, tmp_path_factory):
    """What mypy says of the programs, line by line, where morok is installed."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    zipfile.ZipFile(wheel).extractall(packages)
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    programs = folder / "programs"
    shutil.copytree(PROGRAMS, programs)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--python-executable={folder}/bin/python", f"--cache-dir={folder}/cache"]
    done = subprocess.run([*command, *sorted(p.name for p in programs.glob("*.py"))], cwd=programs, capture_output=True, text=True)
    return done.stdout.splitlines()


def test_the_wheel_says_that_it_is_typed(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "morok/py.typed" in names and not [n for n in names if n.startswith("test/")]


def test_a_program_is_clean(messages):
    assert not [m for m in messages if m.startswith("program.py")]


def test_wrong_uses_are_found(messages):
    lines = (PROGRAMS / "wrong_uses.py").read_text().splitlines()
    wanted = {(number, code) for number, line in enumerate(lines, 1) if (code := (re.search(r"  # \[([\w-]+)\]$", line) or [None, None])[1])}
    found = {(int(m[1]), m[2]) for line in messages if (m := re.match(r"wrong_uses\.py:(\d+): error: .*\[([\w-]+)\]$", line))}
    assert len(wanted) > 25 and found == wanted


def test_the_program_runs(tmp_path):
    environment = {"PYTHONPATH": str(ROOT), "MOROK_OPT": "0"}
    done = subprocess.run([sys.executable, str(PROGRAMS / "program.py")], cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert "(64, 8)" in done.stdout


def test_type_checkers_see_every_name():
    """Names are imported when first used; type checkers read those that `TYPE_CHECKING` imports, and find no others."""
    text = (ROOT / "morok" / "__init__.py").read_text()
    seen = set(re.findall(r"\w+", text[text.index("if TYPE_CHECKING"):text.index("__version__")]))
    assert not {*morok.__all__, *morok._MODULES} - seen
