# SPDX-License-Identifier: Apache-2.0
"""The processes that run implementations: start, ask, check, end."""
