# SPDX-License-Identifier: Apache-2.0
"""What comes from outside, made into typed values or refused: text, JSON, records, files.

Stores, baselines, cell libraries, manifests and the answers of workers are all read through this,
so that what lies behind it may trust its types. What is refused is a `ForeignError`, which the
reader of each kind turns into the sentence that names the file and the place.
"""
