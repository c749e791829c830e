# SPDX-License-Identifier: Apache-2.0
"""Flows from sources to figures: cells, FPGA, mappings, and what was found before."""
