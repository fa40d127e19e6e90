#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# half_open - ten thousand connections to a session's control node that send nothing, and a scan.
cd "$(dirname "$0")/../.." || exit 1
BUILD=$(cd "$BUILD" && pwd) BARO_SESSION_HALF_OPEN=10000 exec sh tests/1802-session-half-open.t
