# SPDX-License-Identifier: Apache-2.0
"""Finds hardware cores as implementations, and simulates each in a separate process."""
