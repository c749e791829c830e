# SPDX-License-Identifier: Apache-2.0
"""`joulemark compare`: two implementations in one run, or two runs."""
