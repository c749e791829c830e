# SPDX-License-Identifier: Apache-2.0
"""Power of a netlist from the value changes of a gate-level run and the library's tables."""
