# SPDX-License-Identifier: Apache-2.0
"""All runs of a store in the browser: served here, or published as files."""
