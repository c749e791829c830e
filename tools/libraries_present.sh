#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints a line for each provider of providers/CMakeLists.txt: whether its header is found now.
compiler=${CXX:-c++}
sed -n 's/^jm_provider(\([a-z0-9_]*\).* HEADER \([^ )]*\).*/\1 \2/p' providers/CMakeLists.txt |
    while read -r name header; do
        # Some headers include others from a folder that only the provider adds to the search path.
        if printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$header" |
            "$compiler" -E -x c++ - >/dev/null 2>&1; then
            echo "$name present: $header"
        else
            echo "$name absent: $header"
        fi
    done
