/* SPDX-License-Identifier: Apache-2.0 */
/* open - a series by its name, whatever it is. */
#include "client/series/open.h"

#include "base/span.h"

#include "client/series/server.h"
#include "client/series/table.h"
#include "client/series/text.h"

#include <string.h>

int series_open(const char *path, const struct series_opts *way,
                const struct lmt_opts *opts, struct lmt_series **ret, struct err *err)
{
    if (series_server_is(path))
        return series_server_open(path, way, opts, ret, err);
    if (span_starts(span_of(path), SERIES_TABLE_PREFIX))
        return series_table_open(path + strlen(SERIES_TABLE_PREFIX), way, opts, ret,
                                 err);
    return series_text_is(path) ? series_text_open(path, way, opts, ret, err)
                                : lmt_series_open(path, opts, ret, err);
}
