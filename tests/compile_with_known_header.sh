#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the C++ compiler in builds by Verilator: `OBJCACHE=this make ...`.
#
# Verilator's header takes a second to read, and each file of a core reads it. Here GCC precompiles the
# header once, with -O1, into a file beside this script's copy, and all later compilations use that file.
# The header that a large core precompiles itself is left out. A compilation of another kind, with -O0
# too, which is rare, or by another compiler runs unchanged.
case " $* " in
    */verilated*.cpp*) exec "$@" ;; # the run-time itself
    *" -O0 "*) exec "$@" ;;
    *" -DVM_COVERAGE=0 "*) ;;
    *) exec "$@" ;;
esac
header=$(dirname "$0")/simulator.h
exec 9>"$header.lock"
if [ ! -e "$header.gch" ]; then flock 9; fi # whoever comes second waits for the first
if [ ! -e "$header.gch" ]; then
    "$1" --version | grep -q "Free Software Foundation" || exec "$@"
    part=$header.$$
    echo '#include "verilated.h"' >"$header"
    (
        # All options but what is to be compiled, and what is to become of it.
        drop=0
        for word; do
            shift
            case $word in
                -c | -MMD | *.cpp | *__pch.h) ;;
                -o | -x | -include) drop=1 ;;
                *) [ $drop = 1 ] || set -- "$@" "$word"; drop=0 ;;
            esac
        done
        exec "$@" -O1 -x c++-header "$header" -o "$part"
    ) || exec "$@"
    mv "$part" "$header.gch"
fi
exec 9>&-
compiler=$1
shift
for word; do
    shift
    case $word in
        # Not precompiled: an empty file stands for it, and its text is read.
        *__pch.h.fast.gch | *__pch.h.slow.gch) : >"$word"; exit ;;
        *__pch.h.fast | *__pch.h.slow) word=${word%.*} ;;
    esac
    set -- "$@" "$word"
done
exec "$compiler" -include "$header" "$@" -O1
