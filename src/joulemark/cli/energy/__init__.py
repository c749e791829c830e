# SPDX-License-Identifier: Apache-2.0
"""Commands about joules: of any command, and of each domain of a meter, live."""
