#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stands before the C compiler in a build of tests: `take_installed_object.sh LIST cc ... -o OBJECT`.
#
# An object of which LIST has a line `OBJECT FILE` is copied from FILE, which `make setup` compiled from
# the same source with the same options; tests/cmake_builds.py writes the list. All headers beside the
# source become what the object depends on, since the compiler's own list is another build's.
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
if [ -n "$depends" ]; then
    root=${source%/kernels/*}
    [ "$root" != "$source" ] || root=${source%/harness/*}
    echo "$object: $source $(find "$root/kernels" "$root/harness" -name '*.h' | tr '\n' ' ')" >"$depends"
fi
