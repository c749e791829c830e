# SPDX-License-Identifier: Apache-2.0
"""Placing and routing a mapped core on an FPGA, behind registers on all its ports."""
