# SPDX-License-Identifier: Apache-2.0
"""Facts about algorithms, their published vectors, and what they cite."""
