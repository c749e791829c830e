# SPDX-License-Identifier: Apache-2.0
"""`joulemark bench`, and the options that it shares with commands that measure elsewhere."""
