# SPDX-License-Identifier: Apache-2.0
"""Takes one window of energy: polls counters, runs the load, reads the clock."""
