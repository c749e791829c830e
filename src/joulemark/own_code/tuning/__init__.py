# SPDX-License-Identifier: Apache-2.0
"""Search for the compiler and the flags with which some code is fastest on this machine."""
