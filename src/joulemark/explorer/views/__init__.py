# SPDX-License-Identifier: Apache-2.0
"""The views, one file each: from kept estimates to a page's blocks, without any HTML."""
