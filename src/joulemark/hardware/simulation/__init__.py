# SPDX-License-Identifier: Apache-2.0
"""RTL simulation of a core: messages go in, tags and clocks come out."""
