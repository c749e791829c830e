# SPDX-License-Identifier: Apache-2.0
"""A mapped netlist: timing, gate-level simulation with Icarus Verilog, and power."""
