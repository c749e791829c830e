# SPDX-License-Identifier: Apache-2.0
"""The database under a store: its address and engine, typed values of a row, errors."""
