/* SPDX-License-Identifier: Apache-2.0 */
/* statement_times - since when a statement is so, whatever the clock of its sender. */
#include "daemon/health/statement_times.h"

#include "base/number.h"
#include "base/span.h"

void statement_times_done(struct statement_times *times)
{
    records_reader_close(times->reader);
}

/* ---- was it sent before? ---- */

static uint64_t hash_add(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return hash;
}

static uint64_t line_hash(const struct resource_statement *s, int64_t sent_ns)
{
    uint64_t hash = hashmap_seed() ^ UINT64_C(14695981039346656037);
    hash = hash_add(hash, s->component.data, s->component.size);
    hash = hash_add(hash, " ", 1);
    hash = hash_add(hash, s->source.data, s->source.size);
    hash = hash_add(hash, &sent_ns, sizeof sent_ns);
    hash = hash_add(hash, &s->health, sizeof s->health);
    return hash | 1; /* 0: nothing */
}

static void moved_note(struct statement_times *times,
                       const struct resource_statement *s, int64_t sent_ns)
{
    uint64_t hash = line_hash(s, sent_ns);
    times->moved->hashes[(hash >> 20) % STATEMENTS_MOVED] = hash;
}

static bool was_moved(const struct statement_times *times,
                      const struct resource_statement *s, int64_t sent_ns)
{
    uint64_t hash = line_hash(s, sent_ns);
    return times->moved->hashes[(hash >> 20) % STATEMENTS_MOVED] == hash;
}

struct repeat_find {
    const struct resource_statement *statement;
    bool is_there;
};

static int on_change(void *arg, const struct resource_statement *s)
{
    struct repeat_find *find = arg;
    find->is_there = span_eq(s->component, find->statement->component) &&
                     s->health == find->statement->health;
    return find->is_there ? 1 : 0;
}

/* Errors: those of reading. */
static int is_in_history(struct statement_times *times,
                         const struct resource_statement *s, int64_t sent_ns, bool *ret,
                         struct err *err)
{
    struct repeat_find find = { .statement = s };
    const struct resource_change_filter filter = { .component = s->component,
                                                   .source = s->source,
                                                   .from_ns = sent_ns,
                                                   .to_ns = sent_ns + 1 };
    bool has_more;
    int rc =
        times->reader ? 0 : records_reader_open(times->records, &times->reader, err);
    if (rc == 0)
        rc = records_find_resource_changes(times->reader, &filter, on_change, &find,
                                           &has_more, err);
    *ret = find.is_there;
    return rc;
}

/* What is not before the last one, by the clock of both their senders, is new: of the
 * same second, or after one that was new. */
static int is_repeat(struct statement_times *times, const struct resource_statement *s,
                     const struct resource_statement *before, int64_t sent_ns,
                     bool *ret, struct err *err)
{
    int64_t last_ns = before->sent_ns > 0 ? before->sent_ns : before->t_ns;
    *ret = false;
    if (sent_ns <= 0 || sent_ns >= last_ns)
        return 0;
    *ret = was_moved(times, s, sent_ns);
    return *ret ? 0 : is_in_history(times, s, sent_ns, ret, err);
}

/* ---- the time ---- */

/* A check whose reason is another one, or that was started again, is so since before;
 * what is not later than that is stored where it has no time of its sender, or where
 * the sender's clock, which is behind, went on. */
static void time_of_same(struct resource_statement *s,
                         const struct resource_statement *before, int64_t now_ns)
{
    bool is_system = resource_source_kind(s->source, NULL) == RESOURCE_SOURCE_SYSTEM;
    bool is_later =
        s->t_ns > before->t_ns || (before->sent_ns > 0 && s->sent_ns > before->sent_ns);
    bool is_ours = s->sent_ns == 0 || before->t_ns > now_ns;
    if (is_system ? is_later || is_ours : s->sent_ns == 0 && !is_later)
        s->t_ns = before->t_ns + 1;
}

static int time_of_other(struct statement_times *times, struct resource_statement *s,
                         const struct resource_statement *before, bool is_wrong,
                         struct err *err)
{
    bool was_sent = false;
    int rc = 0;
    if (is_wrong || s->t_ns <= before->t_ns)
        rc = is_repeat(times, s, before, s->sent_ns, &was_sent, err);
    if (rc < 0)
        return rc;
    if (was_sent) {
        s->t_ns = before->t_ns; /* so what is stored holds */
        return 0;
    }
    if (s->t_ns <= before->t_ns) {
        is_wrong = true;
        s->t_ns = times->now_ns > before->t_ns ? times->now_ns : before->t_ns + 1;
    }
    if (is_wrong && s->sent_ns > 0)
        moved_note(times, s, s->sent_ns);
    return 0;
}

int statement_time_set(struct statement_times *times, struct resource_statement *s,
                       struct err *err)
{
    struct resource_statement before;
    int64_t sent_ns = s->t_ns;
    bool is_wrong =
        sent_ns > times->now_ns || sent_ns < times->now_ns - STATEMENT_AGE_NS;
    s->sent_ns = sent_ns > 0 ? sent_ns : 0;
    if (is_wrong || sent_ns <= 0)
        s->t_ns = times->now_ns;
    if (!resource_admission_find(times->admission, s, &before)) {
        if (is_wrong && sent_ns > 0)
            moved_note(times, s, sent_ns);
        return 0;
    }
    if (before.health == s->health) {
        time_of_same(s, &before, times->now_ns);
        if (s->sent_ns > 0)
            moved_note(times, s, s->sent_ns);
        return 0;
    }
    return time_of_other(times, s, &before, is_wrong, err);
}
