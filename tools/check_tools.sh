#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names every missing tool that the build needs, with the package that brings it.
python=${1:-python3}
missing=0
need() { # name of the tool, package
    echo "joulemark: $1 not found; on Debian or Ubuntu: apt-get install $2" >&2
    missing=1
}
command -v "$python" >/dev/null 2>&1 || need "$python" python3
command -v cc >/dev/null 2>&1 || command -v gcc >/dev/null 2>&1 || need "a C compiler" gcc
command -v c++ >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || need "a C++ compiler" g++
if command -v "$python" >/dev/null 2>&1; then
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        need "Python 3.11 or newer (this is $("$python" -V 2>&1))" python3.11
    "$python" -c 'import venv, ensurepip' 2>/dev/null ||
        need "the venv module of $python" python3-venv
    "$python" -c 'import sysconfig, os, sys; p = sysconfig.get_path("include")
sys.exit(not os.path.exists(os.path.join(p, "Python.h")))' ||
        need "Python.h of $python" python3-dev
fi
exit $missing
