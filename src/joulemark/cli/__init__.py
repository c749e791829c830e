# SPDX-License-Identifier: Apache-2.0
"""The `joulemark` command: a file for each command, or for commands that are read together.

`table` and `groups` list them. A file is imported when its command is called or asked for its help
(`app`), so it imports at its top all that it needs. Where help and refusals must not wait for that,
the table names a function of another file, the body, which is imported to carry out a request.
"""
