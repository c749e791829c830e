# SPDX-License-Identifier: Apache-2.0
"""The explorer as files for any web server, and a feed of changes."""
