# SPDX-License-Identifier: Apache-2.0
"""Programs that flows start: simulator, model checker, and their folders."""
