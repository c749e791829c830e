# SPDX-License-Identifier: Apache-2.0
"""Papers repeated on this machine, side by side with what they printed.

One folder per paper, named as its file in `catalogue/papers/`: what it measured and how, its
models, its claims and their verdicts. What papers share - the outcome of a study and how it is
shown - lies here.
"""
