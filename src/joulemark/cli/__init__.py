# SPDX-License-Identifier: Apache-2.0
"""The `joulemark` command: one file per command group, put together by `app`.

A group's file exposes `register(app)`. What is slow to import (numpy, the store, charts, the
native module) is imported inside the command that needs it, so that `--help` and completion
answer at once.
"""
