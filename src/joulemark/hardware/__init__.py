# SPDX-License-Identifier: Apache-2.0
"""Hardware cores: described, simulated, mapped, placed and timed, with the power that they take."""
