# SPDX-License-Identifier: Apache-2.0
"""Serial SHA-1 and AES-128 for microwatts: clocks, area, power, and energy of a packet."""
