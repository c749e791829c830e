# SPDX-License-Identifier: Apache-2.0
"""Taking energy windows: loads, edges, rounds."""
