# SPDX-License-Identifier: Apache-2.0
"""Commands about code of the user's that is kept to be measured."""
