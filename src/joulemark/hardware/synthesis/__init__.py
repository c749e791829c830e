# SPDX-License-Identifier: Apache-2.0
"""Turns a core's sources into a netlist of cells, by scripts of Yosys."""
