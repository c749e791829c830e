# SPDX-License-Identifier: Apache-2.0
"""What a run does in which order: trials in time, windows of energy."""
