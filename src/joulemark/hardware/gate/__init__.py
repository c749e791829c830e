# SPDX-License-Identifier: Apache-2.0
"""Gate-level simulation of a mapped netlist with Icarus Verilog."""
