/* SPDX-License-Identifier: Apache-2.0 */
/* site_side - the side of a user's session that the site's session sees: by the agent
 * of this node it hears that it began, which events it names, and that it ended.
 */
#include "jobsession/site/site_side.h"

#include "base/json_writer.h"
#include "base/log.h"
#include "base/span.h"

#include <stdatomic.h>
#include <string.h>

void site_side_open(struct site_side *side, const struct site_side_opts *opts)
{
    *side = (struct site_side){ .opts = *opts };
    if (opts->agent && site_link_open(opts->agent, &side->link) < 0)
        log_warn("the site hears of nothing: no thread can be started");
}

/* The site hears of the session by this node's agent, which knows whose it is.  For
 * root, too, a name that is no session's. */
static void announce(struct site_side *side, const char *state)
{
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    struct json_writer w;
    json_writer_init(&w, &payload);
    json_object(&w);
    json_key(&w, "name");
    json_span(&w, side->opts.self.name);
    json_key(&w, "state");
    json_text(&w, state);
    json_key(&w, "job");
    json_text(&w, side->opts.job);
    json_key(&w, "ranks");
    json_i64(&w, (int64_t)side->opts.self.ranks);
    json_key(&w, "address");
    json_text(&w, side->nodes_address);
    json_object_end(&w);
    if (strbuf_error(&payload) == 0)
        site_link_send(side->link, SPAN("child.session"), strbuf_span(&payload));
}

void site_side_begin(struct site_side *side, const char *address,
                     const char *nodes_address)
{
    struct site_report *report = NULL;
    struct site_report_opts opts = {
        .path = side->opts.agent,
        .self = side->opts.self,
        .beat_ns = side->opts.beat_ns,
        .numbers = side->opts.numbers,
    };
    struct err err = { 0 };
    opts.self.address = span_of(address ? address : "");
    int rc = opts.path ? site_report_open(&opts, &report, &err) : 0;
    if (rc < 0)
        log_warn("the site does not list the session: %s",
                 err.text[0] ? err.text : strerror(-rc));
    atomic_store(&side->report, report);
    side->nodes_address = nodes_address;
    announce(side, "running");
}

void site_side_event(struct site_side *side, struct span name, struct span payload,
                     int64_t t_ns)
{
    site_link_send(side->link, name, payload);
    site_report_event(atomic_load(&side->report), name, payload, t_ns);
}

void site_side_opinion(struct site_side *side, struct span name, struct span payload,
                       int64_t t_ns)
{
    site_report_event(atomic_load(&side->report), name, payload, t_ns);
}

void site_side_leave(struct site_side *side)
{
    struct site_counts counts;
    if (!side->link)
        return;
    announce(side, "ended");
    site_link_flush(side->link);
    site_link_count(side->link, &counts);
    if (counts.lost > 0)
        log_warn("the site did not hear of %llu events: %s",
                 (unsigned long long)counts.lost, counts.error);
}

void site_side_end(struct site_side *side, const char *reason)
{
    struct site_report_counts counts;
    (void)snprintf(side->reason, sizeof side->reason, "%s", reason);
    site_report_end(atomic_exchange(&side->report, NULL), side->reason, &counts);
    if (counts.lost > 0)
        log_warn("the site does not have %llu reports of the session: %s",
                 (unsigned long long)counts.lost, counts.error);
}

void site_side_close(struct site_side *side)
{
    site_link_close(side->link);
    side->link = NULL;
}
