# SPDX-License-Identifier: Apache-2.0
"""The `joulemark` command: one file per command, in a folder per topic, listed in `table`.

A command's file has its `COMMAND`. The file is imported when the command is called or asked for its
help (`lazy`), so it imports at its top all that it needs. Where help and refusals must not wait for
that, the table names a second file, the command's body, which is imported to carry out a request.
"""
