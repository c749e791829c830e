# SPDX-License-Identifier: Apache-2.0
"""Makes a plan of a request, and takes its raw samples from worker processes and simulators."""
