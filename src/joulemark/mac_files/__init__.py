# SPDX-License-Identifier: Apache-2.0
"""Tags of files under a key that never stands on a command line."""
