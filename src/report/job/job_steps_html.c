/* SPDX-License-Identifier: Apache-2.0 */
/* job_steps_html - what servers counted of a job on each target, over time. */
#include "report/job/job_steps_html.h"

#include "base/number.h"
#include "base/span.h"
#include "model/model.h"
#include "report/job/html_map.h"

#include <errno.h>
#include <stdlib.h>

static bool has_any(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] > 0)
            return true;
    return false;
}

static int names_make(const struct server_steps *steps, struct arena *arena,
                      const char **names)
{
    for (size_t i = 0; i < steps->count; i++) {
        AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
        entry_id_print(&name, span_of(steps->rows[i].name));
        names[i] = arena_dup(arena, strbuf_span(&name));
        if (!names[i])
            return -ENOMEM;
    }
    return 0;
}

/* Of bytes the targets that store data, and others that got some; of requests for
 * metadata those that got any. */
static bool map_print(const struct server_steps *steps, const char *const *names,
                      struct row_map_row *rows, bool is_bytes, struct strbuf *out)
{
    size_t count = 0;
    for (size_t i = 0; i < steps->count; i++) {
        const struct server_steps_row *row = &steps->rows[i];
        const double *values = is_bytes ? row->bytes : row->metadata;
        if (has_any(values, steps->columns))
            rows[count++] = (struct row_map_row){ names[i], values };
    }
    const struct row_map map = { .title = is_bytes ? "Bytes by target"
                                                   : "Metadata requests by target",
                                 .rows = rows,
                                 .row_count = count,
                                 .columns = steps->columns,
                                 .from_s = steps->from_ms / MS_PER_S,
                                 .to_s = steps->to_ms / MS_PER_S };
    return count > 0 && html_map_print(&map, is_bytes ? "B/s" : "1/s", out);
}

void job_steps_html(const struct server_steps *steps, struct strbuf *out)
{
    AUTO(arena_done) struct arena arena;
    AUTO_FREE const char **names = calloc(steps->count + 1, sizeof *names);
    AUTO_FREE struct row_map_row *rows = calloc(steps->count + 1, sizeof *rows);
    arena_init(&arena, 0);
    if (!names || !rows || names_make(steps, &arena, names) < 0) {
        out->error = -ENOMEM;
        return;
    }
    if (steps->columns == 0)
        return;
    bool has_bytes = map_print(steps, names, rows, true, out);
    bool has_metadata = map_print(steps, names, rows, false, out);
    if (!has_bytes && !has_metadata)
        return;
    strbuf_adds(out, "<p class='note'>Of this job, as the servers counted it: means "
                     "between two readings; blank where they counted nothing.</p>\n");
    if (steps->left_out > 0)
        strbuf_addf(out,
                    "<p class='note'>The %zu targets on which it did most, of %zu."
                    "</p>\n",
                    steps->count, steps->count + steps->left_out);
}
