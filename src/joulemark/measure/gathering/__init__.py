# SPDX-License-Identifier: Apache-2.0
"""Messages of many sessions, gathered into batches: arrivals, windows, rounds."""
