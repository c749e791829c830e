# SPDX-License-Identifier: Apache-2.0
"""Input from outside, made into typed values or refused: text, JSON, records, files.

Stores, baselines, cell libraries, manifests and the answers of workers are all read through this
room, so that other rooms may trust the types. A refusal is a `ForeignError`, which the reader of
each kind turns into the sentence that names the file and the place.
"""
