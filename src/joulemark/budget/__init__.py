# SPDX-License-Identifier: Apache-2.0
"""From a MAC to a battery: packets, radios and processors as joules, days and years.

All functions are pure: they take values of the planning catalogue and counts of core cycles.
`planner` takes names and gives every figure, `plan` ranks MACs, and each other module answers one
question of a planner.
"""
