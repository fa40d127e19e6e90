/* SPDX-License-Identifier: Apache-2.0 */
/* state_file - files of baro-bmc's state: one of a component and a kind.
 *
 *     alex/a1, "log" ─▶ DIRECTORY/alex%2fa1.log
 *
 * Threads  any.
 */
#ifndef BMC_STATE_FILE_H
#define BMC_STATE_FILE_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>

/* All but letters, digits and . _ - is % and two hex digits.  Errors: -ENOMEM. */
int bmc_state_path(const char *directory, const char *component, const char *kind,
                   struct strbuf *out);

/* A mark is an empty file. */
bool bmc_state_has_mark(const char *directory, const char *component, const char *kind);
/* Errors: those of files, -ENOMEM. */
int bmc_state_mark(const char *directory, const char *component, const char *kind,
                   struct err *err);

#endif
