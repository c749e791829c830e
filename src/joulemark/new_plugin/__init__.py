# SPDX-License-Identifier: Apache-2.0
"""Writes the beginning of a plugin in C, from the interface that it is compiled against."""
