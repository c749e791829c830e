# SPDX-License-Identifier: Apache-2.0
"""Estimates of whole stores, kept in a file of caches until a run's content changes."""
