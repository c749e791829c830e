# SPDX-License-Identifier: Apache-2.0
"""Targets, and programs for them: compiled, linked, and read for what they take of memories."""
