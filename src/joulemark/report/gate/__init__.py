# SPDX-License-Identifier: Apache-2.0
"""The gate's answer for other programs, one form per file; each has `render(report)`."""
