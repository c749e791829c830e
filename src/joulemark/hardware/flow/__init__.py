# SPDX-License-Identifier: Apache-2.0
"""Flows from sources to figures, on cells and FPGAs, with a cache of finished reports."""
