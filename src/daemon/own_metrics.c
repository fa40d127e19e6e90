/* SPDX-License-Identifier: Apache-2.0 */
/* own_metrics - the daemon's own metrics as samples of its store.
 *
 *     # TYPE baro_net_requests_total counter          barograph/HOST
 *     baro_net_requests_total 17
 *     baro_net_responses_total{class="2xx"} 17           barograph/HOST/class:2xx
 *
 * What /metrics says is the one list of them: it is printed, and read again.
 */
#include "daemon/own_metrics.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "daemon/metrics/metrics_page.h"
#include "daemon/own_line.h"
#include "model/model.h"

#include <limits.h>

#define SAMPLES_MAX 1024
#define CLUSTER "barograph"

struct own_metrics {
    struct daemon_parts *parts;
    int64_t interval_ns, next_ns;
    uv_timer_t timer;
    char host[HOST_NAME_MAX + 1];
    enum metric_kind kind; /* of the metric that is read */
    size_t shard, count;
    struct sample samples[SAMPLES_MAX];
};

static int find_series(const struct own_metrics *own, const struct own_line *line,
                       struct level_series **ret)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct metric_store *store = own->parts->store;
    struct component c = { .cluster = SPAN(CLUSTER), .host = span_of(own->host) };
    struct metric metric = { .step_ns = own->interval_ns,
                             .kind = own->kind,
                             .aggregation = AGGREGATE_SUM };
    metric.name = line->name;
    c.type = line->label;
    c.id = line->label_value;
    component_print(&path, &c);
    const struct metric *declared =
        metric_find(metric_store_metrics(store), metric.name);
    int rc = strbuf_error(&path);
    if (rc == 0 && !declared)
        rc = metric_declare(metric_store_metrics(store), &metric, &declared);
    return rc < 0 ? rc : metric_store_series(store, strbuf_span(&path), declared, ret);
}

/* What cannot be stored is left out: it is no reason to disturb the daemon. */
static void add_line(struct own_metrics *own, struct span text, int64_t t_ns)
{
    struct level_series *series;
    struct own_line line;
    if (!own_line_parse(text, &own->kind, &line) || own->count == SAMPLES_MAX ||
        find_series(own, &line, &series) < 0)
        return;
    own->shard = series->level->shard;
    own->samples[own->count++] = (struct sample){ series, t_ns, line.value };
}

/* All of one host stand in one shard. */
static void store_all(struct own_metrics *own, int64_t t_ns)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct sample_counts taken;
    struct span rest, line;
    metrics_page_print(own->parts, &text);
    rest = strbuf_span(&text);
    own->count = 0;
    while (rest.size > 0) {
        (void)span_cut(&rest, '\n', &line);
        add_line(own, line, t_ns);
    }
    const struct metric_batch batch = {
        .shard = own->shard,
        .samples = own->samples,
        .count = own->count,
        .promise = METRIC_STORED,
    };
    int rc = own->count ? daemon_forward_store(own->parts->forward, own->parts->store,
                                               &batch, &taken)
                        : 0;
    if (rc < 0)
        log_limited(&limit, LOG_LEVEL_WARN, "own metrics are not stored: %s",
                    strerror(-rc));
}

static void on_timer(uv_timer_t *timer);

static void arm(struct own_metrics *own)
{
    int64_t wait_ms = clock_wait_ms(own->next_ns);
    (void)uv_timer_start(&own->timer, on_timer, wait_ms > 0 ? (uint64_t)wait_ms : 0, 0);
}

static void on_timer(uv_timer_t *timer)
{
    struct own_metrics *own = timer->data;
    int64_t now_ns = clock_now_ns(), t_ns = now_ns - now_ns % own->interval_ns;
    /* Also when the clock was set back. */
    if (now_ns >= own->next_ns || now_ns < own->next_ns - own->interval_ns) {
        store_all(own, t_ns);
        own->next_ns = t_ns + own->interval_ns;
    }
    arm(own);
}

int own_metrics_start(struct daemon_parts *parts, const struct daemon_opts *opts,
                      uv_loop_t *loop, struct own_metrics **ret, struct err *err)
{
    if (!parts->store || opts->store.own_ns == 0)
        return 0;
    if (opts->store.own_ns < NS_PER_S)
        return err_set(err, EINVAL, "store.own_metrics: less than 1s");
    struct own_metrics *own = calloc(1, sizeof *own);
    if (!own)
        return err_set(err, ENOMEM, "out of memory");
    own->parts = parts;
    own->interval_ns = opts->store.own_ns;
    if (gethostname(own->host, sizeof own->host - 1) < 0 || !own->host[0])
        memcpy(own->host, "localhost", sizeof "localhost");
    own->host[strcspn(own->host, ".")] = '\0';
    own->timer.data = own;
    (void)uv_timer_init(loop, &own->timer);
    int64_t now_ns = clock_now_ns();
    own->next_ns = now_ns - now_ns % own->interval_ns + own->interval_ns;
    arm(own);
    *ret = own;
    return 0;
}

static void free_own(uv_handle_t *handle)
{
    free(handle->data);
}

void own_metrics_stop(struct own_metrics *own)
{
    if (own)
        uv_close((uv_handle_t *)&own->timer, free_own);
}
