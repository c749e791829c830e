# SPDX-License-Identifier: Apache-2.0
"""Chooses and observes a meter, and takes the energy windows of a run or of a command."""
