# SPDX-License-Identifier: Apache-2.0
"""`joulemark check`: new code against old code, for continuous integration."""
