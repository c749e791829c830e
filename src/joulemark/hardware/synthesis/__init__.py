# SPDX-License-Identifier: Apache-2.0
"""From a core's sources to a netlist of cells: Yosys scripts and how they are run."""
