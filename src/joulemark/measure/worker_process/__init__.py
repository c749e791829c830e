# SPDX-License-Identifier: Apache-2.0
"""The code of a worker process: it loads one source, and answers requests until its pipe closes."""
