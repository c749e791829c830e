# SPDX-License-Identifier: Apache-2.0
"""Microcontrollers: builds our kernels for them, runs these in simulators, and sizes their code."""
