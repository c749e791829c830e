# SPDX-License-Identifier: Apache-2.0
"""From raw counts of gatherers to figures, and which waiting pays."""
