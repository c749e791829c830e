#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build_wheels.sh FOLDER PYTHON... builds a wheel with each Python, without plugins of outside libraries,
# tagged by auditwheel for every Linux whose C library is at least as new as the wheel needs.
# The wheel built with Python 3.11 is for 3.11, a wheel built with a later Python for all from 3.12 on.
set -eu
folder=$1
shift
made=build/wheels
rm -rf "$made"
for python in "$@"; do
    echo "building a wheel with $("$python" -V)"
    uv build --quiet --wheel --python "$("$python" -c 'import sys; print(sys.executable)')" \
        --build-constraints requirements/run.lock --require-hashes \
        --config-setting cmake.define.JOULEMARK_PROVIDERS=false \
        --config-setting cmake.define.JOULEMARK_WARNINGS_AS_ERRORS=true \
        --config-setting 'build-dir=build/portable/{wheel_tag}' --out-dir "$made" .
done
mkdir -p "$folder"
for wheel in "$made"/*.whl; do

    auditwheel show "$wheel"
    auditwheel repair --wheel-dir "$folder" "$wheel"
done
