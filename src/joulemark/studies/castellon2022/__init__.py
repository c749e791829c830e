# SPDX-License-Identifier: Apache-2.0
"""HMAC-SHA-256 with its block order engineered: does it save energy on this machine?"""
