# SPDX-License-Identifier: Apache-2.0
"""A mapped core as files that other tools read: netlist, constraints, delays, activity."""
