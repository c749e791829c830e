# SPDX-License-Identifier: Apache-2.0
"""Which runs and machines a store has at present."""
