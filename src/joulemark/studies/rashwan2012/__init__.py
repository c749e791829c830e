# SPDX-License-Identifier: Apache-2.0
"""rashwan2012: MACs in 100 sessions at once, absolute and apparent processing by cores."""
