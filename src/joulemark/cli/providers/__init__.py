# SPDX-License-Identifier: Apache-2.0
"""Plugins of outside libraries: `joulemark providers`."""
