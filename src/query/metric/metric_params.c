/* SPDX-License-Identifier: Apache-2.0 */
/* metric_params - the parameters of a request for samples. */
#include "query/metric/metric_params.h"

#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <errno.h>

#define LAST_DEFAULT_NS (3600 * NS_PER_S)

enum param_id {
#define AS_ID(name, value, choices, help) PARAM_##name,
    METRIC_PARAMS(AS_ID)
};

static const struct {
    const char *name, *value, *choices;
} params_table[] = {
#define AS_ROW(name, value, choices, help) { #name, value, choices },
    METRIC_PARAMS(AS_ROW)
};

void metric_params_init(struct metric_params *ret, int64_t now_ns)
{
    *ret = (struct metric_params){ .to_ns = now_ns,
                                   .last_ns = LAST_DEFAULT_NS,
                                   .resampling = RESAMPLE_AVERAGE,
                                   .want = METRIC_WANT_DATA };
}

/* Which of "a|b" it is.  Errors: -EINVAL. */
static int choice_find(const char *choices, struct span value, unsigned *ret)
{
    struct span rest = span_of(choices), choice;
    bool has_more = true;
    for (unsigned i = 0; has_more; i++) {
        has_more = span_cut(&rest, '|', &choice);
        if (span_eq(choice, value)) {
            *ret = i;
            return 0;
        }
    }
    return -EINVAL;
}

static void choice_set(struct metric_params *p, enum param_id id, unsigned choice)
{
    static const unsigned wants[] = { METRIC_WANT_DATA,
                                      METRIC_WANT_DATA | METRIC_WANT_STATS,
                                      METRIC_WANT_STATS };
    switch (id) {
    case PARAM_aggregate:
        p->aggregation = (enum aggregation)choice;
        p->is_together = true;
        return;
    case PARAM_resample:
        p->resampling = (enum resampling)choice;
        return;
    case PARAM_counters:
        p->counters = (enum metric_counters)choice;
        return;
    case PARAM_by:
        p->by = (enum metric_rank)choice;
        return;
    case PARAM_statistics:
        p->want = wants[choice];
        return;
    default:
        p->form = (enum metric_form)choice;
    }
}

static int value_set(struct metric_params *p, enum param_id id, struct span value,
                     int64_t now_ns)
{
    switch (id) {
    case PARAM_from:
        p->has_from = true;
        return timetext_parse_user(value, now_ns, &p->from_ns);
    case PARAM_to:
        return timetext_parse_user(value, now_ns, &p->to_ns);
    case PARAM_last:
        return number_parse_duration(value, &p->last_ns);
    case PARAM_step:
        return number_parse_duration(value, &p->step_ns);
    default:
        return number_parse_u64(value, &p->top);
    }
}

static int value_error(size_t id, struct span value, struct err *err)
{
    static const struct {
        const char *value, *examples;
    } forms[] = {
        { "TIME", "2026-11-21T06:00Z, -2h, @1669010520, now" },
        { "DURATION", "30s, 10m, 1h, 7d" },
        { "COUNT", "0, 1, 2, ..." },
    };
    const char *examples = params_table[id].choices;
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        if (strcmp(params_table[id].value, forms[i].value) == 0)
            examples = forms[i].examples;
    return err_set(err, EINVAL, "%s: invalid value '" SPAN_FMT "' (%s %s)",
                   params_table[id].name, SPAN_ARG(value),
                   params_table[id].choices[0] ? "choose" : "write it as", examples);
}

int metric_param_parse(struct metric_params *params, struct span name,
                       struct span value, int64_t now_ns, struct err *err)
{
    for (size_t id = 0; id < COUNT_OF(params_table); id++) {
        unsigned choice = 0;
        int rc = 0;
        if (!span_is(name, params_table[id].name))
            continue;
        if (params_table[id].choices[0]) {
            rc = choice_find(params_table[id].choices, value, &choice);
            if (rc == 0)
                choice_set(params, (enum param_id)id, choice);
        } else {
            rc = value_set(params, (enum param_id)id, value, now_ns);
        }
        return rc < 0 ? value_error(id, value, err) : 0;
    }
    return -ENOENT;
}

int metric_params_settle(struct metric_params *params, struct err *err)
{
    if (!params->has_from)
        params->from_ns =
            params->to_ns > params->last_ns ? params->to_ns - params->last_ns : 0;
    if (params->from_ns > params->to_ns)
        return err_set(err, EINVAL, "from: is after to");
    if (params->top > 0 && params->want == METRIC_WANT_DATA)
        params->want = METRIC_WANT_STATS;
    return 0;
}
