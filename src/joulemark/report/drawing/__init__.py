# SPDX-License-Identifier: Apache-2.0
"""Parts that charts share: curves, their names, scales, and the lines that are shown at first."""
