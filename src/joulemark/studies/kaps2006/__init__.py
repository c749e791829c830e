# SPDX-License-Identifier: Apache-2.0
"""kaps2006: serial SHA-1 and AES-128 for microwatts, and the energy of a TinySec packet."""
