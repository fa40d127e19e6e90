/* SPDX-License-Identifier: Apache-2.0 */
/* clock_list - what is to be added to the times of each source: --clock SOURCE=OFFSET.
 */
#ifndef CMD_CLOCK_LIST_H
#define CMD_CLOCK_LIST_H

#include "base/err.h"
#include "base/options.h"

#include <stdint.h>

#define CLOCK_OFFSET_S_MAX (INT64_C(7) * 86400)

/* An option of a command whose arguments hold a struct option_list at field. */
/* clang-format off */
#define CLOCK_LIST_OPTION(field)                                                       \
    { "clock", 0, OPTION_LIST, field, "SOURCE=OFFSET",                                 \
      "Add OFFSET (-30s, 2m) to the times of a source: series, health, jobs, or "      \
      "series files of this name, with * ? []; may be repeated. See baro analyze "     \
      "clock." }
/* clang-format on */

/* Errors: -EINVAL (one that is no SOURCE=OFFSET of whole seconds, at most a week). */
int clock_list_check(const struct option_list *clocks, struct err *err);

/* Of a kind ("series"), or a file of it (path may be NULL); the last that fits.  The
 * list is checked. */
int64_t clock_list_offset(const struct option_list *clocks, const char *kind,
                          const char *path);

#endif
