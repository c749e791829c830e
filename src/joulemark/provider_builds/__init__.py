# SPDX-License-Identifier: Apache-2.0
"""Plugins of outside libraries, compiled on the user's machine: `joulemark providers build`."""
