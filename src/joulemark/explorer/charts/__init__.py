# SPDX-License-Identifier: Apache-2.0
"""Charts of the explorer as Vega-Lite specifications, made without altair, which checks too slowly
for a page that is made while somebody waits.
"""
