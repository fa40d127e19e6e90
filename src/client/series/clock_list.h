/* SPDX-License-Identifier: Apache-2.0 */
/* clock_list - what is to be added to the times of each source: --clock SOURCE=OFFSET.
 */
#ifndef CLIENT_SERIES_CLOCK_LIST_H
#define CLIENT_SERIES_CLOCK_LIST_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/options.h"
#include "base/strbuf.h"
#include "source/site/site.h"

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

/* What the site's file says of clocks, and behind it what was given, which goes before
 * it: of the same source it is left out.  The texts are all's. */
struct clock_list {
    struct option_list all;
    char **own; /* of the site's */
    size_t own_count;
};

/* site: NULL: there is none.  Both must outlive *ret, which is to be done with after a
 * failure, too.  Errors: -EINVAL (one that is no SOURCE=OFFSET), -ENOMEM. */
int clock_list_join(const struct site_file *site, const struct option_list *given,
                    struct clock_list *ret, struct err *err);
void clock_list_done(struct clock_list *list);
DEFINE_AUTO_DONE(struct clock_list, clock_list_done);

/* "series=-30s, jobs=2m"; nothing of none. */
void clock_list_print(const struct clock_list *list, struct strbuf *out);

/* Errors: -EINVAL (one that is no SOURCE=OFFSET of whole seconds, at most a week). */
int clock_list_check(const struct option_list *clocks, struct err *err);

/* Of a kind ("series"), or a file of it (path may be NULL); the last that fits.  The
 * list is checked. */
int64_t clock_list_offset(const struct option_list *clocks, const char *kind,
                          const char *path);

#endif
