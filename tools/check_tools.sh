#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names every missing tool that the build needs, with the package that brings it.
python=${1:-python3}
missing=0
# python3-venv and python3-dev serve the release's own python3 alone; each Python has its own beside.
package=python3
case ${python##*/} in python3.*) package=${python##*/} ;; esac
need() { # name of the tool, package
    echo "joulemark: $1 not found; on Debian or Ubuntu: apt-get install $2" >&2
    missing=1
}
command -v cc >/dev/null 2>&1 || command -v gcc >/dev/null 2>&1 || need "a C compiler" gcc
command -v c++ >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || need "a C++ compiler" g++
if ! command -v "$python" >/dev/null 2>&1; then
    need "$python" "$package"
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "joulemark: $python is $("$python" -V 2>&1), and Joulemark needs 3.11 or newer, as Debian has from 12 on and" \
        "Ubuntu from 24.04 on; name a newer one with PYTHON=, as in: make setup PYTHON=python3.12" >&2
    missing=1
else
    "$python" -c 'import venv, ensurepip' 2>/dev/null || need "the venv module of $python" "$package-venv"
    "$python" -c 'import sysconfig, os, sys; p = sysconfig.get_path("include")
sys.exit(not os.path.exists(os.path.join(p, "Python.h")))' || need "Python.h of $python" "$package-dev"
fi
exit $missing
