/* SPDX-License-Identifier: Apache-2.0 */
/* session_store - the numbers of a session's results as samples of the metric store. */
#include "daemon/member/session_store.h"

#include "base/log.h"
#include "base/span.h"
#include "daemon/member/session_samples.h"

#include <stdatomic.h>

#define SAMPLES_MAX 8192 /* of one result */

struct session_store {
    struct session_store_opts opts;
    const struct sink *sink;
    struct sender_account *account;
    struct strbuf path;
    _Atomic uint64_t refused;
    int64_t t_ns, period_ns; /* of the result that is stored now */
    /* That go to the metric store together: all of one shard. */
    size_t shard, count;
    struct sample samples[SAMPLES_MAX];
};

int session_store_new(const struct session_store_opts *opts, struct session_store **ret)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    AUTO(session_store_free) struct session_store *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->opts = *opts;
    s->sink = store_sink_get(opts->write);
    strbuf_add_span(&s->path, opts->path);
    strbuf_addf(&name, "session %s", opts->name);
    if (strbuf_error(&name) < 0 || strbuf_error(&s->path) < 0)
        return -ENOMEM;
    s->account =
        sender_quota_account(s->sink->quota, strbuf_span(&name), SENDER_SHARED);
    *ret = TAKE(s);
    return 0;
}

void session_store_free(struct session_store *s)
{
    if (!s)
        return;
    strbuf_done(&s->path);
    free(s);
}

static void sample_refused(struct session_store *s, const char *name, int rc)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    atomic_fetch_add(&s->refused, 1);
    log_limited(&limit, LOG_LEVEL_WARN,
                "session: '%s' is not stored: %s (baro_session_samples_refused_total)",
                name,
                rc == -ENOBUFS  ? "a result has more than 8192 numbers"
                : rc == -EAGAIN ? "more new metrics than write.metrics_per_hour"
                : rc == -EDQUOT ? "more new metrics than [write] allows a sender"
                : rc == -EPERM  ? "[write] allow and deny exclude it"
                : rc == -EINVAL ? "it is of a type without an id, or of a subtype "
                                  "without a type"
                                : strerror(-rc));
}

static void add_sample(void *arg, const char *name, double value)
{
    struct session_store *s = arg;
    const struct sink_key key = { .path = strbuf_span(&s->path),
                                  .metric = span_of(name),
                                  .is_open = true,
                                  .step_ns = s->period_ns,
                                  .account = s->account };
    struct level_series *series = NULL;
    uint16_t shard = 0;
    int rc = s->count == SAMPLES_MAX
                 ? -ENOBUFS /* before it becomes a series */
                 : s->sink->series(s->sink->arg, &key, &series, &shard);
    if (rc < 0) {
        sample_refused(s, name, rc);
        return;
    }
    s->shard = shard;
    s->samples[s->count++] = (struct sample){ series, s->t_ns, value };
}

int session_store_flush(struct session_store *s)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct sample_counts counts;
    const struct metric_batch batch = { .shard = s->shard,
                                        .samples = s->samples,
                                        .count = s->count,
                                        .promise = METRIC_STORED };
    if (s->count == 0)
        return 0;
    int rc = daemon_forward_store(s->opts.forward, s->opts.store, &batch, &counts);
    if (rc < 0) {
        atomic_fetch_add(&s->refused, s->count);
        log_limited(&limit, LOG_LEVEL_WARN,
                    "session: %zu samples are not stored: %s "
                    "(baro_session_samples_refused_total)",
                    s->count, strerror(-rc));
    }
    s->count = 0;
    return rc;
}

void session_store_put(struct session_store *s, const struct session_result *result)
{
    (void)session_store_flush(s);
    s->t_ns = result->at.instant_ns;
    s->period_ns = result->at.period_ns;
    session_samples(result, add_sample, s);
    (void)session_store_flush(s);
}

static int part_print(const struct session_store *s,
                      const struct session_store_part *part, struct strbuf *path)
{
    /* A name without an id would be that of another component. */
    if ((part->type.size > 0) != (part->id.size > 0) ||
        (part->subtype.size > 0) != (part->subid.size > 0) ||
        (part->subtype.size > 0 && part->type.size == 0))
        return -EINVAL;
    strbuf_add_span(path, strbuf_span(&s->path));
    if (part->type.size > 0) {
        strbuf_addc(path, '/');
        component_print_level(path, part->type, part->id);
    }
    if (part->subtype.size > 0) {
        strbuf_addc(path, '/');
        component_print_level(path, part->subtype, part->subid);
    }
    return strbuf_error(path);
}

int session_store_sample(struct session_store *s,
                         const struct session_store_sample *sample)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct level_series *series = NULL;
    uint16_t shard = 0;
    int rc = part_print(s, &sample->part, &path);
    const struct sink_key key = { .path = strbuf_span(&path),
                                  .metric = span_of(sample->metric),
                                  .is_open = true,
                                  .is_counter = sample->is_counter,
                                  .step_ns = sample->step_ns,
                                  .account = s->account };
    if (rc == 0)
        rc = s->sink->series(s->sink->arg, &key, &series, &shard);
    if (rc < 0) {
        sample_refused(s, sample->metric, rc);
        return rc;
    }
    if (s->count == SAMPLES_MAX || (s->count > 0 && s->shard != shard))
        (void)session_store_flush(s);
    s->shard = shard;
    s->samples[s->count++] = (struct sample){ series, sample->t_ns, sample->value };
    return 0;
}

uint64_t session_store_refused(const struct session_store *s)
{
    return atomic_load(&s->refused);
}
