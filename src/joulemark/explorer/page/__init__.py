# SPDX-License-Identifier: Apache-2.0
"""A page of the explorer: blocks, addresses, HTML and data files."""
