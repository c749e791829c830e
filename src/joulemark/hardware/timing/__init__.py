# SPDX-License-Identifier: Apache-2.0
"""Static timing of a mapped netlist: loads, slews, delays and the critical path."""
