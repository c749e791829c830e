# SPDX-License-Identifier: Apache-2.0
"""The `joulemark` command: one file per command, in a folder per topic, listed in `app`.

A command's file exposes `register(app)`. It is imported when the command is called or asked for
its help (`lazy`), so it imports at its top all that it needs.
"""
