# SPDX-License-Identifier: Apache-2.0
"""Code in the layout of eBACS, as SUPERCOP has it: found, compiled, tried, and kept if right."""
