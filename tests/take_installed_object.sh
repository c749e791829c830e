#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the C compiler in a build of tests: `take_installed_object.sh LIST cc ... -o OBJECT`.
#
# An object with a line `OBJECT FILE` in LIST is copied from FILE, which `make setup` compiled from
# the same source with the same options; tests/cmake_builds.py writes the list. The object then depends
# on all headers beside the source, since the compiler's list of headers belongs to another build.
list=$1
shift
object='' depends='' source=''
previous=''
for word; do
    case $previous in
        -o) object=$word ;;
        -MF) depends=$word ;;
        -c) source=$word ;;
    esac
    previous=$word
done
taken=$(sed -n "s|^$object ||p" "$list" 2>/dev/null)
[ -n "$object" ] && [ -n "$taken" ] || exec "$@"
cp "$taken" "$object"
# The frames of its functions (tools/measure_frames.py).
[ ! -e "${taken%.o}.su" ] || cp "${taken%.o}.su" "${object%.o}.su"
if [ -n "$depends" ]; then
    root=${source%/kernels/*}
    [ "$root" != "$source" ] || root=${source%/harness/*}
    echo "$object: $source $(find "$root/kernels" "$root/harness" -name '*.h' | tr '\n' ' ')" >"$depends"
fi
