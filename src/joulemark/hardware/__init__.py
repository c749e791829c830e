# SPDX-License-Identifier: Apache-2.0
"""Hardware cores: what they are, simulated, synthesised, timed, and what power they take."""
