# SPDX-License-Identifier: Apache-2.0
"""Pure functions that judge counters: which samples and windows count, and why others do not."""
