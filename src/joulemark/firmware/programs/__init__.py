# SPDX-License-Identifier: Apache-2.0
"""Targets, and programs for them: how these are compiled and linked, and their sizes."""
