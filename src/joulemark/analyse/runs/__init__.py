# SPDX-License-Identifier: Apache-2.0
"""Puts the figures of whole runs together."""
