# SPDX-License-Identifier: Apache-2.0
"""From raw counts of many sessions to figures."""
