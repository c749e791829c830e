# SPDX-License-Identifier: Apache-2.0
"""Hardware cores as implementations: found, simulated in a separate process, and counted."""
