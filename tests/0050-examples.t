#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every example of the man pages and of --help is run, on data like what it speaks of.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$(dirname "$0")/lib-barod.sh"
# shellcheck source=tests/lib-postgres.sh
. "$(dirname "$0")/lib-postgres.sh"
# shellcheck source=tests/lib-examples.sh
. "$(dirname "$0")/lib-examples.sh"
examples_run examples 1/1
