# SPDX-License-Identifier: Apache-2.0
"""A core as its maker describes it: manifest, parameters, and the figures of a report."""
