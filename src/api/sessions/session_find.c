/* SPDX-License-Identifier: Apache-2.0 */
/* session_find - sessions of users, for whom may see them. */
#include "api/sessions/session_find.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#define BEAT_DEFAULT_MS 60000
#define NAMES_MAX 20000

static const char *const state_names[SESSION_STATE_COUNT] = { "running", "ended",
                                                              "lost" };

const char *session_state_name(enum session_state state)
{
    return state_names[state];
}

void found_sessions_done(struct found_sessions *found)
{
    arena_done(&found->arena);
    free(found->items);
}

/* ---- reading ---- */

static int found_text_copy(struct arena *arena, struct span *text)
{
    const char *copy = arena_dup(arena, *text);
    if (!copy)
        return -ENOMEM;
    text->data = copy;
    return 0;
}

static int report_copy(struct arena *arena, struct session_report *r)
{
    struct span *const texts[] = { &r->session, &r->name,   &r->parent,  &r->hosts,
                                   &r->address, &r->reason, &r->payload, &r->uid,
                                   &r->cluster, &r->host,   &r->job };
    int rc = 0;
    for (size_t i = 0; i < COUNT_OF(texts) && rc == 0; i++)
        rc = found_text_copy(arena, texts[i]);
    return rc;
}

static int on_found(void *arg, const struct session_report *report)
{
    struct found_sessions *found = arg;
    if (found->count == found->capacity) {
        size_t capacity = found->capacity ? 2 * found->capacity : 64;
        struct found_session *grown =
            reallocarray(found->items, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        found->items = grown;
        found->capacity = capacity;
    }
    struct found_session *item = &found->items[found->count];
    *item = (struct found_session){ .report = *report };
    int rc = report_copy(&found->arena, &item->report);
    if (rc == 0)
        found->count++;
    return rc;
}

int sessions_add(const struct api_readers *readers,
                 const struct session_report_filter *filter,
                 struct found_sessions *found, struct err *err)
{
    struct session_report_filter bounded = *filter;
    bool has_more = false;
    if (found->count >= SESSIONS_READ_MAX) {
        found->has_more = true;
        return 0;
    }
    size_t left = SESSIONS_READ_MAX - found->count;
    if (bounded.limit == 0 || bounded.limit > left)
        bounded.limit = left;
    int rc = records_find_session_reports(readers->rows, &bounded, on_found, found,
                                          &has_more, err);
    found->has_more |= rc == 0 && has_more;
    return rc;
}

/* ---- whose they are ---- */

struct user_names {
    struct arena *arena;
    struct id_name *items;
    size_t count;
};

static int on_user_name(void *arg, const struct id_name *name)
{
    struct user_names *names = arg;
    if (names->count == NAMES_MAX)
        return 1;
    struct id_name *copy = &names->items[names->count];
    *copy = *name;
    if (found_text_copy(names->arena, &copy->cluster) < 0 ||
        found_text_copy(names->arena, &copy->number) < 0 ||
        found_text_copy(names->arena, &copy->name) < 0)
        return -ENOMEM;
    names->count++;
    return 0;
}

static bool is_uid_among(const struct span *numbers, size_t count, struct span uid)
{
    for (size_t i = 0; i < count; i++)
        if (span_eq(numbers[i], uid))
            return true;
    return false;
}

#define UIDS_MAX 1000 /* whose names are looked for; of others the number is shown */

static int names_read(const struct api_readers *readers,
                      const struct found_sessions *found, struct user_names *names,
                      struct err *err)
{
    AUTO_FREE struct span *numbers = calloc(UIDS_MAX, sizeof *numbers);
    struct id_name_filter filter = { .kind = ID_USER };
    names->items = calloc(NAMES_MAX, sizeof *names->items);
    if (!numbers || !names->items)
        return -ENOMEM;
    for (size_t i = 0; i < found->count && filter.number_count < UIDS_MAX; i++)
        if (!is_uid_among(numbers, filter.number_count, found->items[i].report.uid))
            numbers[filter.number_count++] = found->items[i].report.uid;
    filter.numbers = numbers;
    return filter.number_count == 0 ? 0
                                    : records_find_id_names(readers->rows, &filter,
                                                            on_user_name, names, err);
}

/* ---- how they are ---- */

static int lost_reason(struct found_sessions *found, struct found_session *s)
{
    char text[512], heard[TIMETEXT_SIZE];
    timetext_print(heard, s->report.t_ns);
    (void)snprintf(text, sizeof text,
                   "nothing was heard of it by the agent of " SPAN_FMT " since %s",
                   SPAN_ARG(s->report.host), heard);
    s->reason = span_of(text);
    return found_text_copy(&found->arena, &s->reason);
}

static int state_judge(const struct api_readers *readers, struct found_sessions *found,
                       struct found_session *s)
{
    const struct session_report *r = &s->report;
    int64_t beat_ms = r->beat_ms ? (int64_t)r->beat_ms : BEAT_DEFAULT_MS;
    int64_t silent_ns = SESSION_BEATS_MAX * beat_ms * NS_PER_MS;
    int64_t began_ns = readers->api->began_ns, now_ns = clock_now_ns();
    s->state = SESSION_RUNNING;
    s->since_ns = r->start_ns;
    s->reason = r->reason;
    if (r->has_ended) {
        s->state = SESSION_ENDED;
        s->since_ns = r->t_ns;
        return 0;
    }
    if (now_ns - r->t_ns <= silent_ns || now_ns - began_ns <= silent_ns)
        return 0;
    s->state = SESSION_LOST;
    s->since_ns = r->t_ns + silent_ns;
    return lost_reason(found, s);
}

int sessions_judge(const struct api_readers *readers, struct found_sessions *found,
                   struct err *err)
{
    struct user_names names = { .arena = &found->arena };
    int rc = names_read(readers, found, &names, err);
    for (size_t i = 0; i < found->count && rc == 0; i++) {
        struct found_session *s = &found->items[i];
        const struct id_name *name = id_name_at(names.items, names.count, ID_USER,
                                                s->report.uid, s->report.t_ns);
        s->user = name ? name->name : s->report.uid;
        const struct access_owner owner = { .cluster = s->report.cluster,
                                            .user = s->user,
                                            .uid = s->report.uid };
        const struct access_object object = { .owner = &owner };
        s->is_visible = access_decide(readers->client, ACCESS_READ_JOB, &object) ==
                        ACCESS_PERMITTED;
        rc = state_judge(readers, found, s);
    }
    free(names.items);
    return rc;
}

/* ---- by name ---- */

/* "outer:inner": cut off the last name. */
static struct span path_cut_last(struct span *path)
{
    size_t at = path->size;
    while (at > 0 && path->data[at - 1] != ':')
        at--;
    struct span last = { path->data + at, path->size - at };
    path->size = at > 0 ? at - 1 : 0;
    return last;
}

/* 1: it is below sessions of these names. */
static int session_is_below(const struct api_readers *readers,
                            const struct session_report *of, struct span path,
                            struct err *err)
{
    AUTO(found_sessions_done) struct found_sessions above = { 0 };
    struct session_report at = *of;
    arena_init(&above.arena, 0);
    for (size_t depth = 0; path.size > 0; depth++) {
        struct span name = path_cut_last(&path);
        if (at.parent.size == 0 || depth == SESSION_DEPTH_MAX)
            return 0;
        const struct session_report_filter filter = { .uid = at.uid,
                                                      .session = at.parent,
                                                      .limit = 1 };
        size_t before = above.count;
        int rc = sessions_add(readers, &filter, &above, err);
        if (rc < 0)
            return rc;
        if (above.count == before || !span_eq(above.items[before].report.name, name))
            return 0;
        at = above.items[before].report;
    }
    return 1;
}

static int named_choose(const struct api_readers *readers, struct span above,
                        const struct found_sessions *among, size_t *ret,
                        struct err *err)
{
    size_t chosen = among->count;
    for (size_t i = 0; i < among->count; i++) {
        const struct found_session *s = &among->items[i];
        bool is_better =
            chosen == among->count || (s->state == SESSION_RUNNING &&
                                       among->items[chosen].state != SESSION_RUNNING);
        if (!s->is_visible || !is_better)
            continue;
        int rc = session_is_below(readers, &s->report, above, err);
        if (rc < 0)
            return rc;
        if (rc > 0)
            chosen = i;
    }
    *ret = chosen;
    return chosen < among->count ? 0 : -ENOENT;
}

/* All below it, level by level; those of other users are not of this tree. */
static int children_add(const struct api_readers *readers, struct found_sessions *found,
                        struct err *err)
{
    int rc = 0;
    for (size_t i = 0; i < found->count && rc == 0; i++) {
        const struct session_report_filter filter = {
            .uid = found->items[i].report.uid,
            .parent = found->items[i].report.session,
        };
        rc = sessions_add(readers, &filter, found, err);
    }
    return rc;
}

int sessions_named(const struct api_readers *readers, struct span path,
                   struct found_sessions *ret, struct err *err)
{
    AUTO(found_sessions_done) struct found_sessions among = { 0 };
    struct span above = path, name = path_cut_last(&above);
    const struct session_report_filter filter = { .name = name, .limit = 1000 };
    size_t chosen = 0;
    arena_init(&among.arena, 0);
    int rc = sessions_add(readers, &filter, &among, err);
    if (rc == 0)
        rc = sessions_judge(readers, &among, err);
    if (rc == 0)
        rc = named_choose(readers, above, &among, &chosen, err);
    if (rc == -ENOENT)
        return err_set(err, ENOENT, "no session '%.*s' is known",
                       (int)(path.size < 200 ? path.size : 200), path.data);
    if (rc == 0)
        rc = on_found(ret, &among.items[chosen].report);
    if (rc == 0)
        rc = children_add(readers, ret, err);
    return rc < 0 ? rc : sessions_judge(readers, ret, err);
}
