# SPDX-License-Identifier: Apache-2.0
"""`joulemark sessions`: many connections at once."""
