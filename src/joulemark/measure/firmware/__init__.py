# SPDX-License-Identifier: Apache-2.0
"""Trials on firmware targets: finds their implementations, and counts the trials."""
