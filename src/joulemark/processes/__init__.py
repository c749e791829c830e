# SPDX-License-Identifier: Apache-2.0
"""Processes that we start: that all of them end with us, and how they ended, in words."""
