# SPDX-License-Identifier: Apache-2.0
"""The beginning of a plugin, written in C from the interface that it is compiled against."""
