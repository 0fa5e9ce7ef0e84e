# Sourced by the scripts here: makes the checkout's virtual environment (.venv) once, and again when pyproject.toml, the Python in it
# or the place of the checkout changes. Sets root and bin. Needs only bash and a Python with venv or pip; no PATH once .venv is made.
# MOROK_PYTHON names the Python to use.

root=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
venv=$root/.venv
bin=$venv/bin

fail() { echo "${0##*/}: $*" >&2; exit 1; }

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    if [[ -n ${MOROK_PYTHON:-} ]]; then
        is_new_enough "$MOROK_PYTHON" || fail "MOROK_PYTHON=$MOROK_PYTHON is not a Python of version 3.11 or newer"
        echo "$MOROK_PYTHON"
        return
    fi
    local name
    for name in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if is_new_enough "$name"; then echo "$name"; return; fi
    done
    fail "needs Python 3.11 or newer; python3 here is $(python3 --version 2>/dev/null || echo missing)." \
         "Install one, or name it: MOROK_PYTHON=/path/to/python3.12 ${0##*/}"
}

# One line: the Python, the checkout, and last a digest of pyproject.toml.
fingerprint() {
    "$bin/python" - "$root" <<'PYTHON'
import hashlib, pathlib, platform, sys
root = pathlib.Path(sys.argv[1])
print(platform.python_version(), platform.machine(), root, hashlib.sha256((root / "pyproject.toml").read_bytes()).hexdigest())
PYTHON
}

make_venv() {
    local python=$1
    "$python" -m venv --clear "$venv" >/dev/null 2>&1 && return
    # Distributions that pack ensurepip apart from Python: the Python's own pip installs one.
    "$python" -m venv --clear --without-pip "$venv" && "$python" -m pip --python "$bin/python" install -q pip && return
    fail "cannot make $venv: $python has neither a working venv module nor pip (on Debian and Ubuntu: apt install python3-venv)"
}

install_morok() {
    local stamp=$venv/morok-installed installed="" wanted="" python verbosity=-q
    [[ -f $stamp ]] && installed=$(<"$stamp")
    wanted=$(fingerprint 2>/dev/null) || wanted=""
    [[ -n $wanted && $installed == "$wanted" ]] && return
    # A changed pyproject.toml alone updates the environment in place.
    if [[ -z $installed || ${installed% *} != "${wanted% *}" ]]; then
        python=$(find_python)
        echo "${0##*/}: making $venv with $("$python" --version)" >&2
        make_venv "$python"
    fi
    echo "${0##*/}: installing morok and its dependencies (once; about 1 GB)" >&2
    [[ -t 2 ]] && verbosity=--progress-bar=on
    # compat: a path entry, with which `import morok` works beside a folder of that name too (setuptools' default, an import hook, comes after it).
    PYTHONWARNINGS=ignore "$bin/python" -m pip install "$verbosity" --disable-pip-version-check \
        --config-settings editable_mode=compat -e "$root[dev]" >&2 ||
        fail "pip could not install the dependencies (see above)"
    wanted=$(fingerprint)
    echo "$wanted" >"$stamp"
}

install_morok
