# SPDX-License-Identifier: Apache-2.0
"""The fastest build of each of many implementations: of a folder, or of our own kernels."""
