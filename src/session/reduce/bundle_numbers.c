/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_numbers - the numbers that contributions come to, by name. */
#include "session/reduce/bundle_numbers.h"

#include "base/span.h"

#include <math.h>
#include <stdio.h>

struct emitter {
    bundle_number_fn *fn;
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

void bundle_numbers(const struct bundle *bundle, struct span prefix,
                    bundle_number_fn *fn, void *arg)
{
    struct emitter e = { fn, arg, { NULL, 0 } };
    for (size_t i = 0; i < bundle->count; i++) {
        struct span name = bundle_name(&bundle->items[i]);
        if (name.size <= prefix.size ||
            memcmp(name.data, prefix.data, prefix.size) != 0)
            continue;
        e.name = span_skip(name, prefix.size);
        emit_item(&e, &bundle->items[i].reduction);
    }
}
