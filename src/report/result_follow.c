/* SPDX-License-Identifier: Apache-2.0 */
/* result_follow - a table that is fetched and drawn again and again, until Ctrl-C. */
#include "report/result_follow.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/terminal/screen.h"
#include "report/result_screen.h"

#include <stdio.h>
#include <unistd.h>

static int follow_draw(const struct result_follow *follow, const struct table *table,
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
static void table_refetch(const struct result_follow *follow, struct table *table)
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

int result_follow(const struct result_follow *follow, const struct result_form *form,
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
