# SPDX-License-Identifier: Apache-2.0
"""A node's energy budget made visible: the answer, a view for each question, a chart, JSON."""
