# SPDX-License-Identifier: Apache-2.0
"""Tags of files: `joulemark tag` and `joulemark verify`."""
