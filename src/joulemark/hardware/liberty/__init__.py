# SPDX-License-Identifier: Apache-2.0
"""Cell libraries in the Liberty format: area, function, delay and energy of every cell."""
