# SPDX-License-Identifier: Apache-2.0
"""Two builds of the same implementations, old and new, measured against each other."""
