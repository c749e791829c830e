# SPDX-License-Identifier: Apache-2.0
"""Facts about algorithms, their published vectors, and the documents that they cite."""
