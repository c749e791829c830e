# SPDX-License-Identifier: Apache-2.0
"""From a MAC to a battery: packets, radios and processors as joules, days and years.

Pure functions of the planning catalogue and of counts of core cycles. `planner` joins them, by
name; `plan` ranks; the other modules answer one question of a planner each.
"""
