# SPDX-License-Identifier: Apache-2.0
"""Plain facts that the rooms hand to one another. Nothing here measures, divides or stores."""
