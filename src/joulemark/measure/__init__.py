# SPDX-License-Identifier: Apache-2.0
"""From a plan to raw samples: planner, worker processes, runner, environment."""
