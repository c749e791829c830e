# SPDX-License-Identifier: Apache-2.0
"""Papers repeated here: `joulemark reproduce PAPER`, one file for each paper."""
