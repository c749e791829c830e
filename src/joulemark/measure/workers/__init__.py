# SPDX-License-Identifier: Apache-2.0
"""Starts, asks, checks and ends the processes that run implementations."""
