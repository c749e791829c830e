# SPDX-License-Identifier: Apache-2.0
"""Plans the order of a run: trials in time, windows of energy."""
