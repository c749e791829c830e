# SPDX-License-Identifier: Apache-2.0
"""Results made visible: charts, one self-contained page, terminal tables, exports.

Everything here reads a `ResultSet` and computes no statistics.
"""
