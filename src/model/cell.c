/* SPDX-License-Identifier: Apache-2.0 */
/* cell - what others submitted, as cells of a table. */
#include "model/cell.h"

#include "base/number.h"
#include "base/strbuf.h"
#include "model/entry_id.h"
#include "model/job.h"

void cell_set_bytes(struct table *table, size_t column, struct span bytes)
{
    AUTO(strbuf_done) struct strbuf shown = STRBUF_INIT;
    if (bytes.size == 0)
        return;
    entry_id_print(&shown, bytes);
    table_set_text(table, column, strbuf_span(&shown));
}

void cell_set_job_time(struct table *table, size_t column, int64_t t_ns)
{
    if (t_ns != JOB_TIME_NONE)
        table_set_i64(table, column, t_ns / NS_PER_MS);
}
