/* SPDX-License-Identifier: Apache-2.0 */
/* job_metric - what one metric was over the nodes and the time of a run. */
#include "model/job_metric.h"

#include "base/span.h"
#include "base/utf8.h"

#include <math.h>
#include <stdbool.h>

#define NAME_BYTES_MAX 255

static bool is_stored_name(struct span text)
{
    return text.size <= NAME_BYTES_MAX && utf8_is_valid(text) &&
           (text.size == 0 || !memchr(text.data, 0, text.size));
}

const char *job_metric_check(const struct job_metric *m)
{
    if (m->id.size == 0)
        return "it has no job";
    if (m->end_ns < m->start_ns || m->start_ns <= 0)
        return "its job has no time";
    if (!is_stored_name(m->metric) || !is_stored_name(m->unit))
        return "its name or unit is too long, or no text";
    if (m->observed > m->nodes)
        return "it has more nodes than its job";
    if (isinf(m->mean) || isinf(m->min) || isinf(m->max) || isinf(m->sum))
        return "a number of it is infinite";
    if (!(m->covered >= 0 && m->covered <= 1))
        return "what it covers is no share";
    return NULL;
}
