/* SPDX-License-Identifier: Apache-2.0 */
/* put - a batch on its way into the database: check, find series, store, answer.
 *
 *     rows ─▶ checked ─▶ series: cache ─▶ one question to the database ─▶ described
 *          ─▶ sorted by (kind, time, sid), each key once ─▶ stored ─▶ COMMIT ─▶
 * taken_fn
 */
#include "records/put.h"

#include "base/number.h"
#include "base/utf8.h"

#define MORE_BYTES_MAX (64 * 1024)
#define SERVER_BYTES_MAX 255

/* Reasons are stored by number: only ever append. */
enum refusal {
    REFUSAL_NONE,
    REFUSAL_OLD,
    REFUSAL_FUTURE,
    REFUSAL_BEFORE_SINCE,
    REFUSAL_TARGET,
    REFUSAL_ENTRY,
    REFUSAL_SERVER,
    REFUSAL_MORE,
    REFUSAL_KIND,
    _REFUSAL_COUNT,
};

static const char *const refusal_texts[_REFUSAL_COUNT] = {
    [REFUSAL_NONE] = "not said",
    [REFUSAL_OLD] = "timestamp is older than the retention",
    [REFUSAL_FUTURE] = "timestamp is more than an hour in the future",
    [REFUSAL_BEFORE_SINCE] = "since or previous is not a time before the timestamp",
    [REFUSAL_TARGET] = "target or file system is not a printable name",
    [REFUSAL_ENTRY] = "identifier is empty or longer than 255 bytes",
    [REFUSAL_SERVER] = "server is not a printable name",
    [REFUSAL_MORE] = "more is longer than 64 KiB or not UTF-8",
    [REFUSAL_KIND] = "target is known as one of the other kind",
};

struct put {
    struct records *records;
    const struct jobbatch *batch;
    int64_t now_ms;
    struct arena *arena;
    struct keyed_row *rows; /* accepted; sorted by place() */
    size_t row_count;
    const struct series **series; /* by index in the batch */
    struct series **missing;      /* not in the cache: sorted, each once */
    size_t missing_count;
    size_t off_count; /* refused for their time alone */
    bool *is_new;     /* by index in the batch */
    enum refusal reasons[RECORDS_REFUSALS_MAX];
    struct records_answer answer;
};

static void refuse(struct put *put, size_t index, enum refusal reason)
{
    struct records_answer *answer = &put->answer;
    answer->refused++;
    if (answer->refusal_count == RECORDS_REFUSALS_MAX)
        return;
    put->reasons[answer->refusal_count] = reason;
    answer->refusals[answer->refusal_count++] =
        (struct records_refusal){ .row = index, .reason = refusal_texts[reason] };
}

/* ---- checking ---- */

static bool is_name(struct span s, size_t size_max)
{
    for (size_t i = 0; i < s.size; i++)
        if (s.data[i] <= ' ' || s.data[i] > '~')
            return false;
    return s.size <= size_max;
}

static bool time_is_before(int64_t t_ms, int64_t row_ms)
{
    return t_ms == T_NONE || (t_ms >= 0 && t_ms <= row_ms);
}

static enum refusal row_check(const struct put *put, const struct jobrow *row)
{
    if (row->t_ms < put->now_ms - put->records->retention_ms || row->t_ms < 0)
        return REFUSAL_OLD;
    if (row->t_ms > put->now_ms + RECORDS_FUTURE_MS)
        return REFUSAL_FUTURE;
    if (!time_is_before(row->since_ms, row->t_ms) ||
        !time_is_before(row->previous_ms, row->t_ms))
        return REFUSAL_BEFORE_SINCE;
    /* A colon in the target would let two names have one time_series_id. */
    if (row->target.size == 0 || !is_name(row->target, TARGET_BYTES_MAX) ||
        memchr(row->target.data, ':', row->target.size) ||
        !is_name(row->fs, TARGET_BYTES_MAX))
        return REFUSAL_TARGET;
    if (row->entry_id.size == 0 || row->entry_id.size > ENTRY_ID_BYTES_MAX)
        return REFUSAL_ENTRY;
    if (!is_name(row->server, SERVER_BYTES_MAX))
        return REFUSAL_SERVER;
    if (row->more.size > MORE_BYTES_MAX || !utf8_is_valid(row->more) ||
        (row->more.size && memchr(row->more.data, '\0', row->more.size)))
        return REFUSAL_MORE;
    return REFUSAL_NONE;
}

static int rows_check(struct put *put)
{
    size_t count = put->batch->row_count;
    put->rows = arena_alloc(put->arena, count * sizeof *put->rows + 1);
    put->series = arena_alloc(put->arena, count * sizeof(struct series *) + 1);
    put->missing = arena_alloc(put->arena, count * sizeof(struct series *) + 1);
    put->is_new = arena_alloc(put->arena, count + 1);
    if (!put->rows || !put->series || !put->missing || !put->is_new)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        enum refusal reason = row_check(put, &put->batch->rows[i]);
        if (reason != REFUSAL_NONE) {
            refuse(put, i, reason);
            put->off_count += reason == REFUSAL_OLD || reason == REFUSAL_FUTURE;
            continue;
        }
        put->rows[put->row_count++] =
            (struct keyed_row){ .row = &put->batch->rows[i], .index = (uint32_t)i };
    }
    return 0;
}

/* ---- what is remembered of names ---- */

void names_forget(struct records *records)
{
    records->server_count = 0;
    records->namespace_count = 0;
    arena_reset(&records->names);
}

static struct span name_keep(struct records *records, struct span name)
{
    const char *copy = name.data ? arena_dup(&records->names, name) : NULL;
    return (struct span){ copy, copy ? name.size : 0 };
}

/* The stored one; where there is none, one is drawn and stored first. */
static int namespace_draw(struct records *records, struct span fs, struct span format,
                          struct uuid *ret, struct err *err)
{
    const struct records_engine *engine = records->engine;
    bool found = false;
    int rc = engine->find_namespace(records->backend, fs, format, &found, ret, err);
    if (rc < 0 || found)
        return rc;
    struct uuid drawn;
    rc = uuid_new(&drawn);
    if (rc == 0)
        rc = engine->add_namespace(records->backend, fs, format, &drawn, err);
    if (rc == 0)
        rc = engine->find_namespace(records->backend, fs, format, &found, ret, err);
    if (rc == 0 && !found)
        rc = err_set(err, EIO, "records: a namespace was stored and is not there");
    return rc;
}

struct others_read {
    struct records *records;
    struct fs_name *first;
};

static int other_keep(void *arg, struct span name)
{
    struct others_read *read = arg;
    struct fs_name *other = arena_alloc(&read->records->names, sizeof *other);
    if (!other)
        return -ENOMEM;
    other->name = name_keep(read->records, name);
    other->next = read->first;
    read->first = other;
    return other->name.data ? 0 : -ENOMEM;
}

static int namespace_get(struct records *records, struct span fs, struct span format,
                         struct namespace_known *ret, struct err *err)
{
    for (size_t i = 0; i < records->namespace_count; i++) {
        const struct namespace_known *known = &records->namespaces[i];
        if (span_eq(known->fs, fs) && span_eq(known->format, format)) {
            *ret = *known;
            return 0;
        }
    }
    struct namespace_known known = { .fs = name_keep(records, fs),
                                     .format = name_keep(records, format) };
    struct others_read others = { .records = records };
    int rc = 0;
    if (!site_namespace(records->site, fs, format, &known.ns))
        rc = namespace_draw(records, fs, format, &known.ns, err);
    if (rc == 0)
        rc = records->engine->namespace_names(records->backend, &known.ns, fs,
                                              other_keep, &others, err);
    if (rc < 0)
        return rc;
    known.others = others.first;
    if (records->namespace_count < NAMES_MAX && known.fs.size == fs.size &&
        known.format.size == format.size)
        records->namespaces[records->namespace_count++] = known;
    *ret = known;
    return 0;
}

static int server_get(struct records *records, struct span server, int32_t *ret,
                      struct err *err)
{
    if (server.size == 0) {
        *ret = 0;
        return 0;
    }
    for (size_t i = records->server_count; i > 0; i--)
        if (span_eq(records->servers[i - 1].name, server)) {
            *ret = records->servers[i - 1].server_id;
            return 0;
        }
    int rc = records->engine->server_id(records->backend, server, ret, err);
    if (rc == 0 && records->server_count < NAMES_MAX)
        records->servers[records->server_count++] =
            (struct server_known){ .name = name_keep(records, server),
                                   .server_id = *ret };
    return rc;
}

/* ---- series ---- */

static int span_order(struct span a, struct span b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int series_order(const struct series *a, const struct series *b)
{
    int order = span_order(a->fs, b->fs);
    if (order == 0)
        order = span_order(a->target, b->target);
    return order ? order : span_order(a->entry_id, b->entry_id);
}

static int missing_order(const void *a, const void *b)
{
    return series_order(*(const struct series *const *)a,
                        *(const struct series *const *)b);
}

/* Sorted, so that the database's index is walked in one direction, and each once. */
static void missing_unite(struct put *put)
{
    size_t kept = 0;
    if (put->missing_count)
        qsort(put->missing, put->missing_count, sizeof(struct series *), missing_order);
    for (size_t i = 0; i < put->missing_count; i++)
        if (kept == 0 || series_order(put->missing[kept - 1], put->missing[i]) != 0)
            put->missing[kept++] = put->missing[i];
    put->missing_count = kept;
}

static int missing_add(struct put *put, struct span fs, const struct jobrow *row)
{
    struct series *s = arena_alloc(put->arena, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->fs = fs;
    s->target = row->target;
    s->entry_id = row->entry_id;
    s->kind = row->kind;
    /* Until it is described, flags remember whether a '?' may be another byte. */
    s->flags = row->id_exact;
    put->missing[put->missing_count++] = s;
    return 0;
}

static struct span row_fs(const struct put *put, const struct jobrow *row)
{
    return row->fs.size ? row->fs
                        : site_fs(put->records->site, row->server, row->target);
}

/* A file system that was renamed in the configuration and kept its namespaces: its
 * series go on under the sid they have. */
static int series_find_renamed(struct put *put, struct series *s,
                               const struct namespace_known *known, struct err *err)
{
    struct records *records = put->records;
    for (const struct fs_name *other = known->others; other; other = other->next) {
        struct series old = { .fs = other->name,
                              .target = s->target,
                              .entry_id = s->entry_id };
        struct series *asked[] = { &old };
        int rc =
            records->engine->find_series(records->backend, asked, 1, put->arena, err);
        if (rc < 0)
            return rc;
        if (old.sid && memcmp(&old.id, &s->id, sizeof s->id) == 0) {
            s->sid = old.sid;
            return 0;
        }
    }
    return 0;
}

static int series_describe(struct put *put, struct series *s, struct err *err)
{
    struct records *records = put->records;
    struct series described = { 0 };
    int rc = site_describe(records->site, s->fs, s->target, s->kind, s->entry_id,
                           s->flags != 0, put->arena, &described);
    if (rc < 0)
        return rc;
    struct namespace_known known;
    rc = namespace_get(records, s->fs, described.format, &known, err);
    if (rc == 0)
        rc = series_id(&known.ns, s->target, s->entry_id, &described.id);
    if (rc == 0)
        rc = series_find_renamed(put, &described, &known, err);
    if (rc < 0)
        return rc;
    *s = described;
    return 0;
}

/* Those without a sid to the front of ret; returns how many they are. */
static size_t series_without_sid(struct series **series, size_t count,
                                 struct series **ret)
{
    size_t without = 0;
    for (size_t i = 0; i < count; i++)
        if (!series[i]->sid)
            ret[without++] = series[i];
    return without;
}

/* Two programs that meet the same new series: the second finds what the first stored
 * while it waited for it. */
static int series_add(struct put *put, struct series **fresh, size_t count,
                      struct err *err)
{
    const struct records_engine *engine = put->records->engine;
    int rc = engine->add_series(put->records->backend, fresh, count, err);
    size_t lost = rc == 0 ? series_without_sid(fresh, count, fresh) : 0;
    if (lost == 0)
        return rc;
    rc = engine->find_series(put->records->backend, fresh, lost, put->arena, err);
    if (rc == 0 && series_without_sid(fresh, lost, fresh))
        rc = err_set(err, EAGAIN,
                     "records: series '" SPAN_FMT "' can be neither added "
                     "nor found",
                     SPAN_ARG(fresh[0]->target));
    return rc;
}

/* Those of the missing that the database does not have either. */
static int series_store(struct put *put, struct err *err)
{
    struct records *records = put->records;
    int rc = records->engine->find_series(records->backend, put->missing,
                                          put->missing_count, put->arena, err);
    if (rc < 0)
        return rc;
    struct series **fresh =
        arena_alloc(put->arena, put->missing_count * sizeof(struct series *));
    if (!fresh)
        return -ENOMEM;
    size_t count = series_without_sid(put->missing, put->missing_count, fresh);
    for (size_t i = 0; i < count; i++) {
        rc = series_describe(put, fresh[i], err);
        if (rc < 0)
            return rc;
    }
    count = series_without_sid(fresh, count, fresh);
    return count ? series_add(put, fresh, count, err) : 0;
}

static const struct series *missing_get(const struct put *put, const struct series *key)
{
    struct series **at = bsearch(&key, put->missing, put->missing_count,
                                 sizeof(struct series *), missing_order);
    return *at; /* it was put there by series_resolve */
}

/* Every accepted row finds its series, in the cache, the database or fresh. */
static int series_resolve(struct put *put, struct err *err)
{
    struct records *records = put->records;
    for (size_t i = 0; i < put->row_count; i++) {
        const struct jobrow *row = put->rows[i].row;
        struct span fs = row_fs(put, row);
        const struct series *s =
            series_cache_get(records->cache, fs, row->target, row->entry_id);
        put->series[put->rows[i].index] = s;
        if (!s && missing_add(put, fs, row) < 0)
            return -ENOMEM;
    }
    if (put->missing_count == 0)
        return 0;
    missing_unite(put);
    int rc = series_store(put, err);
    for (size_t i = 0; i < put->row_count && rc == 0; i++) {
        const struct jobrow *row = put->rows[i].row;
        if (put->series[put->rows[i].index])
            continue;
        struct series key = { .fs = row_fs(put, row),
                              .target = row->target,
                              .entry_id = row->entry_id };
        put->series[put->rows[i].index] = missing_get(put, &key);
    }
    return rc;
}

/* ---- rows ---- */

static int row_order(const void *a, const void *b)
{
    const struct keyed_row *x = a, *y = b;
    if (x->row->kind != y->row->kind)
        return x->row->kind < y->row->kind ? -1 : 1;
    if (x->row->t_ms != y->row->t_ms)
        return x->row->t_ms < y->row->t_ms ? -1 : 1;
    if (x->sid != y->sid)
        return x->sid < y->sid ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* Give rows their sid and server, put them into the order of the primary key, and keep
 * the first of those that say the same. */
static int rows_place(struct put *put, struct err *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < put->row_count; i++) {
        struct keyed_row *row = &put->rows[i];
        const struct series *s = put->series[row->index];
        if (s->kind != row->row->kind) {
            refuse(put, row->index, REFUSAL_KIND);
            continue;
        }
        int rc = server_get(put->records, row->row->server, &row->server_id, err);
        if (rc < 0)
            return rc;
        row->sid = s->sid;
        put->rows[kept++] = *row;
    }
    put->row_count = kept;
    if (kept == 0)
        return 0;
    qsort(put->rows, put->row_count, sizeof *put->rows, row_order);
    kept = 0;
    for (size_t i = 0; i < put->row_count; i++) {
        const struct keyed_row *last = kept ? &put->rows[kept - 1] : NULL;
        if (last && last->sid == put->rows[i].sid &&
            last->row->t_ms == put->rows[i].row->t_ms)
            put->answer.known++;
        else
            put->rows[kept++] = put->rows[i];
    }
    put->row_count = kept;
    return 0;
}

static int rows_store(struct put *put, struct err *err)
{
    struct records *records = put->records;
    for (size_t i = 0; i < put->row_count;) {
        enum target_kind kind = put->rows[i].row->kind;
        size_t end = i;
        while (end < put->row_count && put->rows[end].row->kind == kind)
            end++;
        int rc = records->engine->put_rows(records->backend, kind, put->rows + i,
                                           end - i, err);
        if (rc == 0)
            rc = rollup_rows_stored(records, kind, put->rows + i, end - i, err);
        if (rc < 0)
            return rc;
        i = end;
    }
    for (size_t i = 0; i < put->row_count; i++) {
        put->is_new[put->rows[i].index] = put->rows[i].is_new;
        if (put->rows[i].is_new)
            put->answer.taken++;
        else
            put->answer.known++;
    }
    return 0;
}

/* ---- answers ---- */

static int answer_store(struct put *put, struct err *err)
{
    AUTO(strbuf_done) struct strbuf refusals = STRBUF_INIT;
    const struct records_answer *answer = &put->answer;
    for (size_t i = 0; i < answer->refusal_count; i++)
        strbuf_addf(&refusals, "%s%zu:%d", i ? "," : "", answer->refusals[i].row,
                    (int)put->reasons[i]);
    if (strbuf_error(&refusals))
        return -ENOMEM;
    struct stored_answer stored = { .taken = answer->taken,
                                    .known = answer->known,
                                    .refused = answer->refused,
                                    .refusals = strbuf_text(&refusals) };
    return put->records->engine->add_batch(put->records->backend, &put->batch->agent,
                                           put->batch->sequence, put->now_ms, &stored,
                                           err);
}

static void answer_restore(const struct stored_answer *stored,
                           struct records_answer *ret)
{
    *ret = (struct records_answer){ .taken = stored->taken,
                                    .known = stored->known,
                                    .refused = stored->refused,
                                    .replayed = true };
    struct span rest = span_of(stored->refusals), one;
    while (rest.size && ret->refusal_count < RECORDS_REFUSALS_MAX) {
        uint64_t row = 0, reason = 0;
        struct span text;
        (void)span_cut(&rest, ',', &one);
        (void)span_cut(&one, ':', &text);
        if (number_parse_u64(text, &row) < 0 || number_parse_u64(one, &reason) < 0)
            return;
        ret->refusals[ret->refusal_count++] = (struct records_refusal){
            .row = row, .reason = refusal_texts[reason < _REFUSAL_COUNT ? reason : 0]
        };
    }
}

/* Between begin and commit.  Returns 1 when the batch was known: nothing was done. */
static int put_in(struct put *put, struct err *err)
{
    struct records *records = put->records;
    if (put->batch->has_id) {
        struct stored_answer stored = { 0 };
        bool found = false;
        int rc = records->engine->find_batch(records->backend, &put->batch->agent,
                                             put->batch->sequence, put->arena, &found,
                                             &stored, err);
        if (rc < 0)
            return rc;
        if (found) {
            answer_restore(&stored, &put->answer);
            return 1;
        }
    }
    int rc = 0;
    if (put->off_count && put->off_count == put->batch->row_count)
        rc = clock_check(records, put->now_ms, err);
    if (rc == 0)
        rc = series_resolve(put, err);
    if (rc == 0)
        rc = rows_place(put, err);
    if (rc == 0)
        rc = rows_store(put, err);
    if (rc == 0 && put->batch->has_id)
        rc = answer_store(put, err);
    return rc;
}

/* After COMMIT: nothing here can fail the batch any more. */
static void put_tell(struct put *put, records_taken_fn *taken_fn, void *arg)
{
    const struct jobbatch *batch = put->batch;
    for (size_t i = 0; taken_fn && i < batch->row_count; i++)
        if (put->is_new[i])
            taken_fn(arg, put->series[i], &batch->rows[i]);
    clock_agrees(put->records, put->rows, put->row_count);
    /* Last, because a series that comes into the cache may push out one of those. */
    for (size_t i = 0; i < put->missing_count; i++)
        if (series_cache_put(put->records->cache, put->missing[i], put->missing[i]) < 0)
            return; /* it will be asked for again */
}

int records_put(struct records *records, const struct jobbatch *batch, int64_t now_ms,
                struct records_answer *ret, records_taken_fn *taken_fn, void *arg,
                struct err *err)
{
    if (batch->row_count > JOBBATCH_ROWS_MAX)
        return err_set(err, EMSGSIZE, "records: %zu rows in a batch, %d are allowed",
                       batch->row_count, JOBBATCH_ROWS_MAX);
    struct put put = { .records = records, .batch = batch, .now_ms = now_ms };
    put.arena = &records->arena;
    arena_reset(&records->arena);
    int rc = records_check_writable(records, err);
    if (rc == 0)
        rc = rows_check(&put);
    if (rc == 0)
        rc = records->engine->prepare_days(records->backend, put.rows, put.row_count,
                                           err);
    if (rc == 0)
        rc = records_begin(records, err);
    if (rc < 0)
        return rc;
    rc = put_in(&put, err);
    if (rc == 0) {
        rc = records_commit(records, err);
        records->doubts += rc == -EAGAIN || rc == -EIO; /* others say no, and mean it */
    } else {
        records_health_note(records, rc, err);
        records_rollback(records);
    }
    if (rc < 0)
        return rc == -EEXIST ? -EAGAIN
                             : rc; /* another writer was quicker: look again */
    if (rc == 0)
        put_tell(&put, taken_fn, arg);
    *ret = put.answer;
    return 0;
}

uint64_t records_doubts(const struct records *records)
{
    return records->doubts;
}

int records_namespace(struct records *records, struct span fs, struct span format,
                      struct uuid *ret, struct err *err)
{
    int rc = records_check_writable(records, err);
    if (rc == 0)
        rc = records_begin(records, err);
    if (rc < 0)
        return rc;
    struct namespace_known known;
    rc = namespace_get(records, fs, format, &known, err);
    if (rc < 0)
        records_rollback(records);
    else
        rc = records_commit(records, err);
    if (rc == 0)
        *ret = known.ns;
    return rc;
}
