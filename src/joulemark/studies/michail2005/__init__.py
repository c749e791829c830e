# SPDX-License-Identifier: Apache-2.0
"""michail2005: a pipelined HMAC-SHA-256 whose rounds are merged by two."""
