# SPDX-License-Identifier: Apache-2.0
"""Code of a user's: compiled into a plugin within limits, checked, then kept or refused."""
