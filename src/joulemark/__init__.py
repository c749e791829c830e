# SPDX-License-Identifier: Apache-2.0
"""Joulemark: what authenticating a message costs, and how to make it cost less."""

__version__ = "0.1.0"
