# SPDX-License-Identifier: Apache-2.0
"""Code of a user: compiled into a plugin within limits, checked, then kept or refused."""
