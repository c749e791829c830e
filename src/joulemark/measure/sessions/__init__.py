# SPDX-License-Identifier: Apache-2.0
"""Many sessions at once: one window asked of a worker, and windows until one counts."""
