# SPDX-License-Identifier: Apache-2.0
"""westermann2010: time, power and energy per byte of the second-round SHA-3 candidates."""
