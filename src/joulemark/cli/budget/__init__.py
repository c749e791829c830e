# SPDX-License-Identifier: Apache-2.0
"""`joulemark budget`: what authentication costs a node."""
