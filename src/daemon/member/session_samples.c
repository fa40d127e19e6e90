/* SPDX-License-Identifier: Apache-2.0 */
/* session_samples - the numbers that a result comes to, by the metric's name. */
#include "daemon/member/session_samples.h"

#include "base/span.h"

#include <math.h>

struct emitter {
    session_sample_fn *fn;
    void *arg;
    struct span name;
};

static void emit_value(const struct emitter *e, struct span suffix, double value)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    strbuf_addf(&name, SPAN_FMT "_" SPAN_FMT, SPAN_ARG(e->name), SPAN_ARG(suffix));
    if (strbuf_error(&name) < 0)
        return;
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (c >= '0' && c <= '9')))
            name.data[i] = '_';
    }
    e->fn(e->arg, strbuf_text(&name), value);
}

static void emit_histogram(const struct emitter *e, const struct reduction *r)
{
    uint64_t below = 0;
    for (size_t i = 0; i < r->histogram.bound_count; i++) {
        char suffix[64];
        below += r->histogram.counts[i];
        (void)snprintf(suffix, sizeof suffix, "le_%g", r->histogram.bounds[i]);
        emit_value(e, span_of(suffix), (double)below);
    }
}

static void emit_states(const struct emitter *e, const struct reduction *r)
{
    for (size_t i = 0; i < r->states.count; i++) {
        const struct reduce_state *state = &r->states.states[i];
        emit_value(e, (struct span){ state->name.text, state->name.size },
                   rank_set_size(&state->ranks));
    }
}

static void emit_item(const struct emitter *e, const struct reduction *r)
{
    switch (r->kind) {
    case REDUCE_COUNT:
        emit_value(e, SPAN("count"), (double)r->count);
        break;
    case REDUCE_SUM:
        emit_value(e, SPAN("sum"), reduction_sum(r));
        break;
    case REDUCE_MIN:
    case REDUCE_MAX:
        emit_value(e, span_of(reduce_kind_name(r->kind)), r->extreme.value);
        break;
    case REDUCE_MOMENTS:
        emit_value(e, SPAN("mean"), r->moments.mean);
        emit_value(e, SPAN("stddev"), sqrt(reduction_variance(r)));
        break;
    case REDUCE_QUANTILES:
        emit_value(e, SPAN("p50"), sketch_quantile(&r->sketch, 0.5));
        emit_value(e, SPAN("p90"), sketch_quantile(&r->sketch, 0.9));
        emit_value(e, SPAN("p99"), sketch_quantile(&r->sketch, 0.99));
        break;
    case REDUCE_HISTOGRAM:
        emit_histogram(e, r);
        break;
    case REDUCE_STATES:
        emit_states(e, r);
        break;
    case REDUCE_HOSTS:
        emit_value(e, SPAN("hosts"), rank_set_size(&r->hosts));
        break;
    case REDUCE_TOP:
    case REDUCE_KIND_COUNT:
        break;
    }
}

void session_samples(const struct session_result *result, session_sample_fn *fn,
                     void *arg)
{
    struct emitter e = { fn, arg, SPAN("session") };
    emit_value(&e, SPAN("expected"), result->expected);
    emit_value(&e, SPAN("contributed"), rank_set_size(&result->bundle->ranks));
    emit_value(&e, SPAN("late"), (double)result->late);
    emit_value(&e, SPAN("refused"), (double)result->bundle->refused);
    for (size_t i = 0; i < result->bundle->count; i++) {
        e.name = bundle_name(&result->bundle->items[i]);
        emit_item(&e, &result->bundle->items[i].reduction);
    }
}
