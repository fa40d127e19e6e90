/* SPDX-License-Identifier: Apache-2.0 */
/* sessions_page - the sessions that a job's owner ran in it, on its page. */
#include "report/job/provenance/sessions_page.h"

#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

static void session_line_print(const struct job_session *s, struct strbuf *out)
{
    char since[TIMETEXT_SIZE];
    (void)timetext_print(since, s->since_ns);
    strbuf_adds(out, "  ");
    entry_id_print(out, span_of(s->name));
    strbuf_addf(out, "  %s since %s", s->state, since);
    if (s->reason[0]) {
        strbuf_adds(out, " (");
        entry_id_print(out, span_of(s->reason));
        strbuf_addc(out, ')');
    }
    strbuf_addf(out, ", %llu node%s, %llu event%s for the site",
                (unsigned long long)s->ranks, s->ranks == 1 ? "" : "s",
                (unsigned long long)s->events, s->events == 1 ? "" : "s");
    if (s->parent[0]) {
        strbuf_adds(out, ", in ");
        entry_id_print(out, span_of(s->parent));
    }
    strbuf_addc(out, '\n');
}

void sessions_list_print(const struct job_sessions *sessions, struct strbuf *out)
{
    size_t shown = sessions->count < SESSIONS_SHOWN ? sessions->count : SESSIONS_SHOWN;
    const char *hint = sessions->has_more ? "" : " (--output json has them)";
    for (size_t i = 0; i < shown; i++)
        session_line_print(&sessions->items[i], out);
    if (shown < sessions->count || sessions->has_more)
        strbuf_addf(out, "  and %s%zu more%s\n", sessions->has_more ? "at least " : "",
                    sessions->count - shown, hint);
}

void sessions_page_print(const struct job_sessions *sessions, struct strbuf *out)
{
    if (sessions->count == 0)
        return;
    strbuf_adds(out, "\nSessions in it (baro session show NAME --events):\n");
    sessions_list_print(sessions, out);
}

static void time_json(const char *key, int64_t t_ns, struct json_writer *w)
{
    char text[TIMETEXT_SIZE];
    (void)timetext_print(text, t_ns);
    json_key(w, key);
    json_text(w, text);
}

static void text_json(const char *key, const char *text, struct json_writer *w)
{
    json_key(w, key);
    json_text(w, text[0] ? text : NULL);
}

void sessions_json(const struct job_sessions *sessions, struct json_writer *w)
{
    if (sessions->count == 0)
        return;
    json_key(w, "sessions");
    json_array(w);
    for (size_t i = 0; i < sessions->count; i++) {
        const struct job_session *s = &sessions->items[i];
        json_object(w);
        text_json("name", s->name, w);
        text_json("parent", s->parent, w);
        text_json("state", s->state, w);
        time_json("since", s->since_ns, w);
        text_json("reason", s->reason, w);
        text_json("hosts", s->hosts, w);
        json_key(w, "ranks");
        json_i64(w, (int64_t)s->ranks);
        json_key(w, "events");
        json_i64(w, (int64_t)s->events);
        time_json("start", s->start_ns, w);
        json_object_end(w);
    }
    json_array_end(w);
    json_key(w, "has_more_sessions");
    json_bool(w, sessions->has_more);
}
