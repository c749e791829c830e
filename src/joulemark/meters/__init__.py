# SPDX-License-Identifier: Apache-2.0
"""Energy meters: one contract, one file for each instrument."""
