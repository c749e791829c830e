# SPDX-License-Identifier: Apache-2.0
"""From stored samples to estimates, warnings, comparisons and verdicts."""
