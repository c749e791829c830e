# SPDX-License-Identifier: Apache-2.0
"""The explorer served on this machine, by FastAPI and uvicorn."""
