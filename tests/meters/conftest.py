# SPDX-License-Identifier: Apache-2.0
"""What the meter tests share."""
