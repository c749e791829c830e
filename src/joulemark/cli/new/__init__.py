# SPDX-License-Identifier: Apache-2.0
"""Commands that write the beginning of something."""
