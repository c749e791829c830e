# SPDX-License-Identifier: Apache-2.0
"""Statistics as pure functions on arrays."""
