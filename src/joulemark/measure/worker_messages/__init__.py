# SPDX-License-Identifier: Apache-2.0
"""Messages between the process that measures and its workers: types, and lines of JSON."""
