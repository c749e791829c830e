# SPDX-License-Identifier: Apache-2.0
"""What the process that measures and its workers say to each other: types, and lines of JSON."""
