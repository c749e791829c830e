# SPDX-License-Identifier: Apache-2.0
"""Many connections at once: `joulemark sessions` and `joulemark gather`."""
