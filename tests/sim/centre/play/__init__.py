# SPDX-License-Identifier: Apache-2.0
"""What a played centre is made of; see ../README.md."""
