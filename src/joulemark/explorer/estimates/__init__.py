# SPDX-License-Identifier: Apache-2.0
"""Estimates of whole stores, kept in a file beside the user's caches until a run's content changes."""
