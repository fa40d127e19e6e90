/* SPDX-License-Identifier: Apache-2.0 */
/* error_trends - those of a node's parts, by name, and their text for a file.
 *
 *     baro-error-trends 1
 *     part dimm:DIMM_A1 T COUNTER UNSURE WARNING COUNT USUAL HOURS CALM SEEN 24 9 9
 *     end 1
 *
 * doc/formats/error-trends.md has the columns.
 *
 * Bounds   ERROR_TRENDS_MAX parts, twice as many as there are modules: one more has the
 *          place of that which was observed longest ago, and is not there any more.  A
 *          text is ERROR_TRENDS_BYTES_MAX long at most.
 *
 * Threads  one at a time.
 */
#ifndef SOURCE_NODE_ERROR_TRENDS_H
#define SOURCE_NODE_ERROR_TRENDS_H

#include "base/strbuf.h"
#include "source/node/error_trend.h"
#include "source/node/node.h"

#define ERROR_TRENDS_MAX 512
#define ERROR_TRENDS_BYTES_MAX NODE_TRENDS_BYTES_MAX
#define ERROR_TRENDS_NAME_BYTES 72

struct error_trends_part {
    char name[ERROR_TRENDS_NAME_BYTES]; /* one word */
    struct error_trend trend;
};

struct error_trends {
    struct error_trends_part *parts;
    size_t count;
};

void error_trends_done(struct error_trends *trends);
DEFINE_AUTO_DONE(struct error_trends, error_trends_done);

/* That part's, made where there is none.  Errors: -EINVAL (no name), -ENOSPC, -ENOMEM.
 */
int error_trends_find(struct error_trends *trends, struct span name, int64_t t_s,
                      size_t *ret);

void error_trends_print(const struct error_trends *trends, struct strbuf *out);
/* trends are empty before.  Errors: -EBADMSG (then they are empty still), -ENOMEM. */
int error_trends_parse(struct error_trends *trends, struct span text);

#endif
