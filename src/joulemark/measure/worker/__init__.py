# SPDX-License-Identifier: Apache-2.0
"""A worker process: its messages, its two sides, and the checks of what runs in it."""
