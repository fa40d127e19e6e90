/* SPDX-License-Identifier: Apache-2.0 */
/* job_servers - what the servers counted of a job, and of everybody else meanwhile. */
#include "analysis/job/job_servers.h"

#include "base/span.h"

#include <math.h>
#include <stdlib.h>

const char *const job_servers_ops[] = { "write_bytes", "read_bytes", "iops",
                                        "metadata" };
const size_t job_servers_op_count = COUNT_OF(job_servers_ops);

uint64_t server_flow_of(const struct server_flow *flow, enum server_measure measure)
{
    switch (measure) {
    case SERVER_BYTES:
        return flow->written_bytes + flow->read_bytes;
    case SERVER_REQUESTS:
        return flow->requests;
    default:
        return flow->metadata;
    }
}

/* ---- tables ---- */

/* Where a table has what is wanted. */
struct places {
    int key; /* "target" or "job" */
    int user;
    int ops[4];
};

static int places_find(const struct table *table, const char *key, struct places *ret,
                       struct err *err)
{
    struct places p = { table_find_column(table, key),
                        table_find_column(table, "user"),
                        { 0 } };
    bool is_whole = p.key >= 0 && table->columns[p.key].type == TABLE_TEXT;
    for (size_t i = 0; i < job_servers_op_count; i++) {
        p.ops[i] = table_find_column(table, job_servers_ops[i]);
        is_whole =
            is_whole && p.ops[i] >= 0 && table->columns[p.ops[i]].type == TABLE_U64;
    }
    if (p.user >= 0 && table->columns[p.user].type != TABLE_TEXT)
        p.user = -1;
    if (!is_whole)
        return err_set(err, EBADMSG,
                       "the response has other columns than were requested");
    *ret = p;
    return 0;
}

static const char *text_at(const struct table *table, size_t row, int column)
{
    if (column < 0)
        return NULL;
    const struct table_cell *cell = table_at(table, row, (size_t)column);
    return cell->is_null ? NULL : cell->text;
}

static struct server_flow flow_at(const struct table *table, size_t row,
                                  const struct places *p)
{
    uint64_t values[4];
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        const struct table_cell *cell = table_at(table, row, (size_t)p->ops[i]);
        values[i] = cell->is_null ? 0 : cell->u64;
    }
    return (struct server_flow){ values[0], values[1], values[2], values[3] };
}

static void flow_add(struct server_flow *to, const struct server_flow *more)
{
    to->written_bytes += more->written_bytes;
    to->read_bytes += more->read_bytes;
    to->requests += more->requests;
    to->metadata += more->metadata;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static struct server_flow flow_without(const struct server_flow *all,
                                       const struct server_flow *own)
{
    return (struct server_flow){ less(all->written_bytes, own->written_bytes),
                                 less(all->read_bytes, own->read_bytes),
                                 less(all->requests, own->requests),
                                 less(all->metadata, own->metadata) };
}

/* ---- names ---- */

/* "scratch-OST001f": is it an OST or an MDT, and which one. */
static void name_read(struct server_target *t)
{
    static const char digits[] = "0123456789abcdef";
    const char *dash = strrchr(t->name, '-');
    int index = 0;
    t->index = -1;
    t->is_mdt = dash && strncmp(dash, "-MDT", 4) == 0;
    if (!dash || (!t->is_mdt && strncmp(dash, "-OST", 4) != 0) || strlen(dash) != 8)
        return;
    for (const char *c = dash + 4; *c; c++) {
        const char *digit = strchr(digits, *c);
        if (!digit)
            return;
        index = index * 16 + (int)(digit - digits);
    }
    t->index = index;
}

/* ---- medians ---- */

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void median_set(struct job_servers *s, int kind, int measure, uint64_t *values,
                       size_t count)
{
    size_t below = (count - 1) / 2, above = count / 2, quarter = (count - 1) * 3 / 4;
    double median = NAN, upper = NAN;
    qsort(values, count, sizeof *values, by_size);
    if (count >= JOB_SERVERS_TARGETS_MIN) {
        median = ((double)values[below] + (double)values[above]) / 2;
        upper = (double)values[quarter];
    }
    s->median[kind][measure] = median;
    s->spread[kind][measure] = median > 0 ? upper / median : NAN;
}

static int medians_find(struct job_servers *s, const struct server_target *all,
                        size_t count)
{
    uint64_t *values = calloc(count + 1, sizeof *values);
    if (!values)
        return -ENOMEM;
    for (int kind = 0; kind < 2; kind++)
        for (int m = 0; m < SERVER_MEASURES; m++) {
            size_t n = 0;
            for (size_t i = 0; i < count; i++)
                if (all[i].is_mdt == (kind == 1))
                    values[n++] =
                        server_flow_of(&all[i].others, (enum server_measure)m);
            s->kind_count[kind] = n;
            median_set(s, kind, m, values, n);
        }
    free(values);
    return 0;
}

/* From so many times the median on a target stands out. */
static double threshold_of(const struct job_servers *s, const struct profile *run,
                           bool is_mdt, enum server_measure m)
{
    double usual = pow(s->spread[is_mdt][m], JOB_SERVERS_SPREAD_POWER);
    return !run && usual > JOB_SERVERS_CONTENDED_MIN ? usual
                                                     : JOB_SERVERS_CONTENDED_MIN;
}

/* Whether the job did enough there to wait for others. */
static bool is_of_weight(const struct job_servers *s, const struct profile *run,
                         uint64_t own, uint64_t others, enum server_measure m)
{
    double weight = (double)own / (double)server_flow_of(&s->own, m);
    double part = (double)own / ((double)own + (double)others);
    return others >= own && weight >= JOB_SERVERS_WEIGHT_MIN &&
           (run || part >= JOB_SERVERS_PART_MIN);
}

/* By the measure that counts on such a target and shows the most contention. */
static void contention_find(const struct job_servers *s, const struct profile *run,
                            struct server_target *t)
{
    double metadata = run ? run->values[PROFILE_META_SHARE] : NAN;
    bool is_felt = !t->is_mdt || metadata >= JOB_SERVERS_METADATA_MIN;
    enum server_measure first = t->is_mdt ? SERVER_METADATA : SERVER_BYTES;
    enum server_measure last = t->is_mdt ? SERVER_METADATA : SERVER_REQUESTS;
    t->contention = NAN;
    t->measure = first;
    for (enum server_measure m = first; m <= last; m++) {
        double median = s->median[t->is_mdt][m];
        uint64_t others = server_flow_of(&t->others, m);
        uint64_t own = server_flow_of(&t->own, m);
        double contention = (double)others / median;
        double threshold = threshold_of(s, run, t->is_mdt, m);
        bool is_contended =
            is_felt && contention >= threshold && is_of_weight(s, run, own, others, m);
        bool is_more = isnan(t->contention) || contention > t->contention;
        if (isnan(contention) || is_contended < t->is_contended ||
            (is_contended == t->is_contended && !is_more))
            continue;
        t->contention = contention;
        t->measure = m;
        t->threshold = threshold;
        t->is_contended = is_contended;
    }
}

static int by_contention(const void *a, const void *b)
{
    const struct server_target *x = a;
    const struct server_target *y = b;
    if (x->is_contended != y->is_contended)
        return x->is_contended ? -1 : 1;
    double left = isnan(x->contention) ? -1 : x->contention;
    double right = isnan(y->contention) ? -1 : y->contention;
    if (left != right)
        return left > right ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* ---- making ---- */

static int all_take(struct job_servers *s, const struct table *table,
                    const struct places *p, struct server_target *all, size_t *ret)
{
    size_t count = 0;
    for (size_t row = 0; row < table->row_count; row++) {
        const char *name = text_at(table, row, p->key);
        struct server_target *t = &all[count];
        const struct server_flow flow = flow_at(table, row, p);
        bool is_quiet = !flow.requests && !flow.metadata &&
                        server_flow_of(&flow, SERVER_BYTES) == 0;
        if (!name || is_quiet) /* rows without a number, or without any traffic */
            continue;
        t->name = arena_dup(&s->arena, span_of(name));
        if (!t->name)
            return -ENOMEM;
        t->others = flow;
        flow_add(&s->all, &t->others);
        name_read(t);
        count++;
    }
    *ret = count;
    return 0;
}

static struct server_target *target_find(struct server_target *all, size_t count,
                                         const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

static int own_take(struct job_servers *s, const struct table *table,
                    const struct places *p, struct server_target *all, size_t count)
{
    s->targets =
        arena_alloc(&s->arena, (table->row_count + 1) * sizeof(struct server_target));
    if (!s->targets)
        return -ENOMEM;
    for (size_t row = 0; row < table->row_count; row++) {
        const char *name = text_at(table, row, p->key);
        struct server_target *t = name ? target_find(all, count, name) : NULL;
        if (!t)
            continue;
        t->own = flow_at(table, row, p);
        t->others = flow_without(&t->others, &t->own);
        flow_add(&s->own, &t->own);
    }
    int rc = medians_find(s, all, count);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        bool is_used = all[i].own.requests || all[i].own.metadata ||
                       server_flow_of(&all[i].own, SERVER_BYTES);
        if (!is_used || s->target_count == table->row_count)
            continue;
        s->targets[s->target_count++] = all[i];
    }
    return rc;
}

int job_servers_make(const struct profile *run, const struct table *own,
                     const struct table *all, struct job_servers *ret, struct err *err)
{
    struct places own_places, all_places;
    int rc = places_find(own, "target", &own_places, err);
    if (rc == 0)
        rc = places_find(all, "target", &all_places, err);
    if (rc < 0)
        return rc;
    AUTO(job_servers_done) struct job_servers s = { 0 };
    arena_init(&s.arena, 0);
    struct server_target *targets = calloc(all->row_count + 1, sizeof *targets);
    size_t count = 0;
    rc = targets ? all_take(&s, all, &all_places, targets, &count) : -ENOMEM;
    if (rc == 0)
        rc = own_take(&s, own, &own_places, targets, count);
    free(targets);
    if (rc < 0)
        return err_set(err, -rc, "out of memory");
    for (size_t i = 0; i < s.target_count; i++)
        contention_find(&s, run, &s.targets[i]);
    qsort(s.targets, s.target_count, sizeof *s.targets, by_contention);
    *ret = s;
    s = (struct job_servers){ 0 };
    return 0;
}

void job_servers_done(struct job_servers *servers)
{
    arena_done(&servers->arena);
    *servers = (struct job_servers){ 0 };
}

/* ---- who else ---- */

/* A row of a job on a target, or the sum of a job's rows there. */
struct presence {
    const char *target, *job, *user; /* "": none */
    struct server_flow flow;
    double share; /* the most of any measure that all jobs did there */
};

static int by_target_job_user(const void *a, const void *b)
{
    const struct presence *x = a, *y = b;
    int order = strcmp(x->target, y->target);
    if (order == 0)
        order = strcmp(x->job, y->job);
    return order ? order : strcmp(x->user, y->user);
}

static size_t presences_read(const struct table *table, const struct places *p,
                             int target, struct presence *ret)
{
    size_t count = 0;
    for (size_t row = 0; row < table->row_count; row++) {
        const char *texts[3] = { text_at(table, row, target),
                                 text_at(table, row, p->key),
                                 text_at(table, row, p->user) };
        for (size_t i = 0; i < COUNT_OF(texts); i++)
            texts[i] = texts[i] ? texts[i] : "";
        ret[count++] = (struct presence){ .target = texts[0],
                                          .job = texts[1],
                                          .user = texts[2],
                                          .flow = flow_at(table, row, p) };
    }
    if (count > 1)
        qsort(ret, count, sizeof *ret, by_target_job_user);
    return count;
}

/* Rows of one target and job become one; of several users it names none. */
static size_t presences_join(struct presence *items, size_t count)
{
    size_t joined = 0;
    bool is_shared = false;
    for (size_t i = 0; i < count; i++) {
        struct presence *last = joined > 0 ? &items[joined - 1] : NULL;
        if (!last || strcmp(last->target, items[i].target) != 0 ||
            strcmp(last->job, items[i].job) != 0) {
            items[joined++] = items[i];
            is_shared = false;
            continue;
        }
        flow_add(&last->flow, &items[i].flow);
        is_shared |= *last->user && strcmp(last->user, items[i].user) != 0;
        last->user = is_shared ? "" : items[i].user;
    }
    return joined;
}

static double flow_share(const struct server_flow *part,
                         const struct server_flow *whole)
{
    const uint64_t parts[] = { part->written_bytes, part->read_bytes, part->requests,
                               part->metadata };
    const uint64_t wholes[] = { whole->written_bytes, whole->read_bytes,
                                whole->requests, whole->metadata };
    double most = 0;
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (wholes[i] > 0 && (double)parts[i] / (double)wholes[i] > most)
            most = (double)parts[i] / (double)wholes[i];
    return most;
}

static bool is_more(const struct presence *a, const struct presence *b,
                    enum server_measure measure)
{
    uint64_t x = server_flow_of(&a->flow, measure);
    uint64_t y = server_flow_of(&b->flow, measure);
    return x != y ? x > y : a->share > b->share;
}

static void best_insert(const struct presence **best, size_t *count,
                        const struct presence *item, enum server_measure measure)
{
    size_t at = *count;
    while (at > 0 && is_more(item, best[at - 1], measure))
        at--;
    if (at == JOB_SERVERS_NEIGHBOURS)
        return;
    if (*count < JOB_SERVERS_NEIGHBOURS)
        ++*count;
    memmove(&best[at + 1], &best[at], (*count - 1 - at) * sizeof(struct presence *));
    best[at] = item;
}

/* Of all that were on one target. */
static int best_choose(struct job_servers *servers, struct server_target *target,
                       const char *job, struct presence *items, size_t count)
{
    const struct presence *best[JOB_SERVERS_NEIGHBOURS];
    struct server_flow whole = { 0 };
    for (size_t i = 0; i < count; i++)
        flow_add(&whole, &items[i].flow);
    for (size_t i = 0; i < count; i++) {
        items[i].share = flow_share(&items[i].flow, &whole);
        if (strcmp(items[i].job, job) != 0 &&
            server_flow_of(&items[i].flow, target->measure) > 0)
            best_insert(best, &target->neighbour_count, &items[i], target->measure);
    }
    for (size_t i = 0; i < target->neighbour_count; i++) {
        struct server_neighbour *n = &target->neighbours[i];
        *n = (struct server_neighbour){ .flow = best[i]->flow };
        if (*best[i]->job)
            n->job = arena_dup(&servers->arena, span_of(best[i]->job));
        if (*best[i]->user)
            n->user = arena_dup(&servers->arena, span_of(best[i]->user));
        if ((*best[i]->job && !n->job) || (*best[i]->user && !n->user))
            return -ENOMEM;
    }
    return 0;
}

int job_servers_add_neighbours(struct job_servers *servers, size_t count,
                               const char *job, const struct table *by_job,
                               struct err *err)
{
    struct places p;
    int target = table_find_column(by_job, "target");
    int rc = places_find(by_job, "job", &p, err);
    if (rc < 0)
        return rc;
    if (target < 0 || by_job->columns[target].type != TABLE_TEXT)
        return err_set(err, EBADMSG, "the response names no targets");
    AUTO_FREE struct presence *items = calloc(by_job->row_count + 1, sizeof *items);
    if (!items)
        return err_set(err, ENOMEM, "out of memory");
    size_t found = presences_read(by_job, &p, target, items);
    found = presences_join(items, found);
    for (size_t i = 0, end; i < found && rc == 0; i = end) {
        for (end = i + 1; end < found; end++)
            if (strcmp(items[end].target, items[i].target) != 0)
                break;
        struct server_target *t = target_find(servers->targets, count, items[i].target);
        if (t)
            rc = best_choose(servers, t, job, &items[i], end - i);
    }
    return rc < 0 ? err_set(err, ENOMEM, "out of memory") : 0;
}

double job_servers_coverage(const struct job_servers *servers,
                            const struct profile *run)
{
    double bytes = run ? run->values[PROFILE_BYTES] : NAN;
    return bytes > 0 ? (double)server_flow_of(&servers->own, SERVER_BYTES) / bytes
                     : NAN;
}
