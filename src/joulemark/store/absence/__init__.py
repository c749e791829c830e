# SPDX-License-Identifier: Apache-2.0
"""Keeps the observations of a run in a file while the server of its store is away."""
