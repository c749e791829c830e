# SPDX-License-Identifier: Apache-2.0
"""A manifest for a core that has none, from its ports, their names, and what a simulation shows."""
