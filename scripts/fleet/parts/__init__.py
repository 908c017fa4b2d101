# SPDX-License-Identifier: MIT
"""What the programs of a fleet's night share."""
