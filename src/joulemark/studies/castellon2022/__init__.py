# SPDX-License-Identifier: Apache-2.0
"""castellon2022: HMAC-SHA256 whose blocks lie in another order in memory, said to save energy."""
