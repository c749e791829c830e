# SPDX-License-Identifier: Apache-2.0
"""Microcontrollers: our kernels built for them, run in simulators, and what their code takes."""
