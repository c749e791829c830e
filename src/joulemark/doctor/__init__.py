# SPDX-License-Identifier: Apache-2.0
"""What can be measured on this machine, how finely, and why not the rest."""
