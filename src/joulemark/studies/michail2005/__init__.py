# SPDX-License-Identifier: Apache-2.0
"""A pipelined HMAC-SHA-256 with two rounds merged: throughput, area and power, part by part."""
