# SPDX-License-Identifier: Apache-2.0
"""Raw samples and the runs that they belong to, kept so that a killed run loses nothing."""
