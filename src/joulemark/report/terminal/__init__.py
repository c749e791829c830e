# SPDX-License-Identifier: Apache-2.0
"""Results in a terminal: the screen that a run ends with, and the long tables."""
