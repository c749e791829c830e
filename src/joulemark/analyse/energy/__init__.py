# SPDX-License-Identifier: Apache-2.0
"""From raw energy windows to joules with an interval."""
