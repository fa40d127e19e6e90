#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The commands that README.md, the tour and other texts show are run.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$(dirname "$0")/lib-barod.sh"
# shellcheck source=tests/lib-postgres.sh
. "$(dirname "$0")/lib-postgres.sh"
# shellcheck source=tests/lib-examples.sh
. "$(dirname "$0")/lib-examples.sh"
examples_run texts README.md doc
