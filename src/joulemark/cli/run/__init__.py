# SPDX-License-Identifier: Apache-2.0
"""Commands about implementations and runs: list, show, doctor, test, results, export, ..."""
