# SPDX-License-Identifier: Apache-2.0
"""Commands about hardware cores: `joulemark core ...`."""
