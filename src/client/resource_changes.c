/* SPDX-License-Identifier: Apache-2.0 */
/* resource_changes - changes of the health of resources, fetched one after the other.
 */
#include "client/resource_changes.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "client/http.h"
#include "net/net.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define CHANGES_WAIT "30s"
#define PAUSE_S_MAX 30

/* A row with nothing but the id is where nothing changed. */
static bool has_changes(const struct table *table)
{
    int component = table_find_column(table, "component");
    return component >= 0 && !table_at(table, 0, (size_t)component)->is_null;
}

static int changes_fetch(const struct client_endpoint *endpoint, struct strbuf *after,
                         bool waits, struct table *ret, bool *ret_has_any,
                         struct err *err)
{
    AUTO(net_url_done) struct net_url url;
    net_url_init(&url, "/v1/resources/changes");
    if (after->size > 0)
        net_url_add_span(&url, "after", strbuf_span(after));
    if (waits)
        net_url_add(&url, "wait", CHANGES_WAIT);
    int rc = client_http_fetch_table(endpoint, &url, ret, err);
    if (rc < 0)
        return rc;
    if (ret->row_count == 0 || table_at(ret, ret->row_count - 1, 0)->is_null)
        return err_set(err, EBADMSG, "the response has no id to go on from");
    strbuf_clear(after);
    strbuf_adds(after, table_at(ret, ret->row_count - 1, 0)->text);
    *ret_has_any = has_changes(ret);
    return strbuf_error(after);
}

/* ---- followed ---- */

/* barod starts again, has as many that wait as can, or hangs; a proxy before it has
 * none (5xx).  What it refuses does not pass. */
static bool is_passing(int rc)
{
    return rc == -ENOTCONN || rc == -EAGAIN || rc == -ETIMEDOUT || rc == -EIO;
}

static void away_wait(struct resource_follow *follow, const struct err *err)
{
    struct err note;
    if (follow->pause_s == 0) {
        (void)err_set(&note, EAGAIN, "%s; trying again", err->text);
        follow->note_fn(note.text);
        follow->away_ns = clock_steady_ns();
    }
    follow->pause_s = follow->pause_s == 0 ? 1 : 2 * follow->pause_s;
    if (follow->pause_s > PAUSE_S_MAX)
        follow->pause_s = PAUSE_S_MAX;
    (void)sleep(follow->pause_s);
}

/* What was missed between, if anything was, barod has a note of. */
static void away_end(struct resource_follow *follow)
{
    char text[128];
    if (follow->pause_s == 0)
        return;
    (void)snprintf(text, sizeof text,
                   "barod responds again, after %" PRId64
                   " s; a note follows where changes are lost",
                   (clock_steady_ns() - follow->away_ns) / NS_PER_S);
    follow->note_fn(text);
    follow->pause_s = 0;
}

int resource_changes_follow(struct resource_follow *follow, struct table *ret,
                            bool *ret_has_any, struct err *err)
{
    for (;;) {
        table_init(ret);
        int rc = changes_fetch(follow->endpoint, follow->after, follow->has_begun, ret,
                               ret_has_any, err);
        if (rc == 0) {
            away_end(follow);
            follow->has_begun = true;
        }
        if (!follow->has_begun || !is_passing(rc))
            return rc;
        away_wait(follow, err);
        table_done(ret);
    }
}
