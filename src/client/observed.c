/* SPDX-License-Identifier: Apache-2.0 */
/* observed - rows that this process observed itself, in a table in memory. */
#include "client/observed.h"

#include "base/hashmap.h"
#include "base/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIVE_BYTES_MAX ((size_t)512 << 20)
#define ROW_BYTES_MAX ((size_t)1 << 20)
#define LAST_DEFAULT_MS (10 * 60 * MS_PER_S)

struct observed {
    const struct site *site;
    struct live *live;
    struct hashmap sids; /* target, NUL, identifier -> sid */
    struct arena arena;  /* of one row */
    struct round
        round; /* the newest one, of all servers; all zero: there were not two */
    int64_t first_ms, last_ms; /* of the first round and the last; 0: none yet */
};

int observed_new(const struct site *site, struct observed **ret)
{
    const struct live_opts live = { .bytes_max = LIVE_BYTES_MAX, .is_alone = true };
    AUTO(observed_free) struct observed *o = calloc(1, sizeof *o);
    if (!o)
        return -ENOMEM;
    o->site = site;
    arena_init(&o->arena, ROW_BYTES_MAX);
    int rc = live_new(&live, &o->live);
    if (rc < 0)
        return rc;
    *ret = TAKE(o);
    return 0;
}

void observed_free(struct observed *observed)
{
    if (!observed)
        return;
    live_free(observed->live);
    hashmap_done(&observed->sids);
    arena_done(&observed->arena);
    free(observed);
}

static int sid_of(struct observed *o, const struct entry *entry, int64_t *ret)
{
    size_t size = entry->target.size + 1 + entry->id.size;
    char *key = arena_alloc(&o->arena, size);
    if (!key)
        return -ENOMEM;
    memcpy(key, entry->target.data, entry->target.size);
    memcpy(key + entry->target.size + 1, entry->id.data, entry->id.size);
    uintptr_t *sid = hashmap_put(&o->sids, (struct span){ key, size }, NULL);
    if (!sid)
        return -ENOMEM;
    if (*sid == 0)
        *sid = o->sids.count;
    *ret = (int64_t)*sid;
    return 0;
}

static void row_of(const struct entry *entry, const struct observation *seen,
                   struct strbuf *more, struct jobrow *ret)
{
    *ret = (struct jobrow){
        .target = entry->target,
        .kind = entry->kind,
        .entry_id = entry->id,
        .id_exact = entry->flags & ENTRY_ID_QUOTED,
        .t_ms = seen->t_ms,
        .since_ms = seen->since_ms,
        .previous_ms = seen->previous_ms,
        .reset = seen->reset ? RESET_YES : RESET_NO,
        .snapshot_ns = seen->is_zero ? T_NONE : entry->snapshot_ns,
        .start_ns = entry->start_ns,
    };
    for (size_t i = 0; i < entry->op_count; i++)
        jobrow_add_op(ret, &entry->ops[i], more);
    if (!seen->is_zero)
        return;
    memset(ret->samples, 0, sizeof ret->samples);
    memset(ret->sum, 0, sizeof ret->sum);
}

int observed_add(struct observed *o, struct span server, const struct entry *entry,
                 const struct observation *seen)
{
    AUTO(strbuf_done) struct strbuf more = STRBUF_INIT;
    struct jobrow row;
    struct series series = { 0 };
    int64_t sid = 0;
    arena_reset(&o->arena);
    row_of(entry, seen, &more, &row);
    row.server = server;
    row.fs = site_fs(o->site, server, entry->target);
    int rc = site_describe(o->site, row.fs, row.target, row.kind, row.entry_id,
                           row.id_exact, &o->arena, &series);
    if (rc == 0)
        rc = sid_of(o, entry, &sid);
    if (rc < 0)
        return rc;
    series.sid = sid;
    live_accept(o->live, &series, &row);
    return 0;
}

void observed_round(struct observed *o, int64_t t_ms)
{
    if (o->first_ms == 0)
        o->first_ms = t_ms;
    else if (t_ms > o->last_ms)
        o->round = (struct round){ o->last_ms, t_ms, o->first_ms };
    o->last_ms = t_ms;
}

int observed_top(const struct observed *o, struct selection *sel, struct table *table,
                 struct err *err)
{
    const struct query_ctx ctx = { .live = o->live,
                                   .round = o->round.t_ms ? &o->round : NULL };
    /* What was done before the first round is known for few entries: it would make the
     * rates of the others too low. */
    int64_t last_ms = sel->last_ms ? sel->last_ms : LAST_DEFAULT_MS;
    int64_t latest_ms = live_latest_ms(o->live);
    bool is_of_rounds = ctx.round && !sel->last_ms && sel->to_ms == T_NONE;
    if (sel->from_ms == T_NONE && !is_of_rounds && latest_ms > o->first_ms &&
        latest_ms - o->first_ms < last_ms) {
        sel->from_ms = o->first_ms;
        sel->to_ms = latest_ms;
        sel->last_ms = 0;
    }
    return query_top(&ctx, sel, table, err);
}
