#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""box_rest - plays a storage box by HTTPS and JSON, well and ill, as redfish.py does.

    box_rest.py --port PORT [--tls CERT KEY] [--user NAME:PASSWORD] DIRECTORY

DIRECTORY/state is that of redfish.py; it serves what "documents" has: {PATH: DOCUMENT}.
Of its faults "wide" makes each array one of 100,000 elements.
"""
import sys

import redfish


class Box(redfish.Player):
    def document(self, state, path):
        document = state.get("documents", {}).get(path)
        fault = state.get("fault")
        if document and fault == "types":
            return redfish.wrong(document)
        if document and fault == "wide":
            return {key: value * 100000 if isinstance(value, list) else value for key, value in document.items()}
        return document


if __name__ == "__main__":
    sys.exit(redfish.main(Box))
