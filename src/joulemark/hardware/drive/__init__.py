# SPDX-License-Identifier: Apache-2.0
"""Drives a core in RTL simulation: messages go in, tags and clocks come out."""
