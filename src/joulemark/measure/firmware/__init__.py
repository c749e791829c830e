# SPDX-License-Identifier: Apache-2.0
"""Trials on firmware targets: which implementations there are, and a run of them."""
