/* SPDX-License-Identifier: Apache-2.0 */
/* inner_sessions - how far the reports of the sessions that were started in this one
 * are.
 */
#include "jobsession/site/inner_sessions.h"

#include "base/span.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct inner_session {
    char id[SESSION_ID_BYTES];
    uint64_t heard; /* when, counted; 0: not in use */
    uint64_t last;  /* event */
    bool is_running, has_ended;
    bool is_counted; /* what came before last was there, or is known to be missing */
};

struct inner_sessions {
    struct inner_session sessions[INNER_SESSIONS_MAX];
    uint64_t heard;
};

int inner_sessions_new(struct inner_sessions **ret)
{
    struct inner_sessions *inner = calloc(1, sizeof *inner);
    if (!inner)
        return -ENOMEM;
    *ret = inner;
    return 0;
}

void inner_sessions_free(struct inner_sessions *inner)
{
    free(inner);
}

static struct inner_session *inner_find(struct inner_sessions *inner, struct span id)
{
    struct inner_session *oldest = &inner->sessions[0];
    for (size_t i = 0; i < INNER_SESSIONS_MAX; i++) {
        struct inner_session *s = &inner->sessions[i];
        if (s->heard && span_eq(id, (struct span){ s->id, sizeof s->id }))
            return s;
        if (s->heard < oldest->heard)
            oldest = s;
    }
    *oldest = (struct inner_session){ .heard = 0 };
    memcpy(oldest->id, id.data, sizeof oldest->id);
    return oldest;
}

static struct inner_session *inner_of(struct inner_sessions *inner,
                                      const struct session_report *report)
{
    struct inner_session *s = inner_find(inner, report->session);
    s->heard = ++inner->heard;
    return s;
}

/* Events that it had when it was reported are those up to a number. */
void inner_sessions_compare(struct inner_sessions *inner,
                            const struct session_report *r, struct inner_news *ret)
{
    const struct inner_session *s = inner_of(inner, r);
    uint64_t had = r->sequence > 0 ? r->sequence - 1 : r->has_ended ? r->events : 0;
    *ret = (struct inner_news){ .is_new = r->sequence > 0 ? r->sequence > s->last
                                          : r->has_ended  ? !s->has_ended
                                                          : !s->is_running };
    /* Of one that was not heard of before, or is forgotten, what came is not known. */
    if (!ret->is_new || !s->is_counted || had <= s->last)
        return;
    ret->gap_first = s->last + 1;
    ret->gap_last = had;
}

void inner_sessions_skip(struct inner_sessions *inner,
                         const struct session_report *report,
                         const struct inner_news *news)
{
    inner_of(inner, report)->last = news->gap_last;
}

void inner_sessions_had(struct inner_sessions *inner, const struct session_report *r)
{
    struct inner_session *s = inner_of(inner, r);
    if (r->sequence > 0)
        s->last = r->sequence;
    else
        s->is_running = true;
    s->is_counted = s->is_counted || r->sequence > 0 || r->events == 0;
    s->has_ended = s->has_ended || r->has_ended;
}
