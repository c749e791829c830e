# SPDX-License-Identifier: Apache-2.0
"""Charts of the explorer as Vega-Lite specifications.

They are made without altair, which checks too slowly for a page that somebody waits for.
"""
