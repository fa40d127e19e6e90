/* SPDX-License-Identifier: Apache-2.0 */
/* table_follow - a table that is fetched and drawn again and again, until Ctrl-C. */
#include "cmd/table_follow.h"

#include "base/clock.h"
#include "base/terminal/screen.h"
#include "cmd/output.h"

#include <stdio.h>
#include <unistd.h>

static int follow_draw(const struct table_follow *follow, const struct table *table,
                       struct screen *screen, const struct result_form *form,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    const struct result_heading heading = {
        .now_ms = clock_now_ms(),
        .interval_ns = follow->interval_ns,
    };
    int rc = result_screen_draw(screen, table, form, &heading, &notes, err);
    if (!screen->is_terminal)
        (void)fwrite(strbuf_text(&notes), 1, notes.size, stderr);
    return rc;
}

/* Once more; where that fails, the reason in the table's place. */
static void table_refetch(const struct table_follow *follow, struct table *table)
{
    struct err err = { 0 };
    table_done(table);
    table_init(table);
    int rc = follow->fetch_fn(follow->arg, table, &err);
    if (rc == 0)
        return;
    table_done(table);
    table_init(table);
    table_add_note(table, "%s", err.text[0] ? err.text : strerror(-rc));
}

static int follow_run(const struct table_follow *follow, const struct result_form *form,
                      struct err *err)
{
    AUTO(table_done) struct table table;
    struct screen screen;
    table_init(&table);
    int rc = follow->fetch_fn(follow->arg, &table, err);
    if (rc < 0)
        return rc;
    screen_init(&screen, stdout, STDOUT_FILENO);
    screen_start(&screen);
    rc = follow_draw(follow, &table, &screen, form, err);
    while (rc == 0 && screen_wait(follow->interval_ns / NS_PER_MS)) {
        table_refetch(follow, &table);
        rc = follow_draw(follow, &table, &screen, form, err);
    }
    screen_stop(&screen);
    return rc;
}

int table_follow(const struct table_follow *follow, struct err *err)
{
    struct table_follow settled = *follow;
    struct result_form form;
    if (settled.interval_ns == 0)
        settled.interval_ns = TABLE_FOLLOW_NS;
    int rc = output_form(&form, settled.args->output, settled.args->raw, err);
    return rc < 0 ? rc : follow_run(&settled, &form, err);
}
