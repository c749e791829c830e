# SPDX-License-Identifier: Apache-2.0
"""Steps from each schema to the next, run by `joulemark.store.access` and by nothing else.

A change of `store/models.py` adds `versions/schema_NNNN.py` with the next number, sets
`schema.HEAD` to it and freezes a file of the new schema with `tests/store/freeze.py`. The tests
compare the tables that the steps build with the models. Steps import no models: they describe
the past, and the models change.
"""
