# SPDX-License-Identifier: Apache-2.0
"""The options of a cluster of workers, and the tasks that commands hand to it."""
