#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every form that the SYNOPSIS of a man page allows is run, with operands that exist.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$(dirname "$0")/lib-barod.sh"
# shellcheck source=tests/lib-postgres.sh
. "$(dirname "$0")/lib-postgres.sh"
# shellcheck source=tests/lib-examples.sh
. "$(dirname "$0")/lib-examples.sh"
examples_run synopsis 1/1
