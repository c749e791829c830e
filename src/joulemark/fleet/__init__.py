# SPDX-License-Identifier: Apache-2.0
"""Many machines: studies and reports of cores, carried out by the workers of a Dask scheduler."""
