# SPDX-License-Identifier: Apache-2.0
"""What gathering gains, in words, tables and curves."""
