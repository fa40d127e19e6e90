/* SPDX-License-Identifier: Apache-2.0 */
/* finding_rate_text - how often a finding is false, in words and as JSON. */
#include "report/unusual/finding_rate_text.h"

static const char *const jobs_texts[FINDING_RATE_BASIS_COUNT] = {
    [FINDING_RATE_HEALTHY] = "healthy jobs (simulated)",
    [FINDING_RATE_CLIMATE] = "SC18 runs with other weather",
    [FINDING_RATE_THRESHOLD] = "SC18 runs with other weather",
};

void finding_rate_print(const struct finding_rate *rate, struct strbuf *out)
{
    if (!rate) {
        strbuf_adds(out, "False alarms: not measured");
        return;
    }
    strbuf_addf(out, "False alarms: %.3g %% of %llu %s", rate->percent,
                (unsigned long long)rate->jobs, jobs_texts[rate->basis]);
}

void finding_rate_json(const struct finding_rate *rate, struct json_writer *w)
{
    json_key(w, "false_alarms");
    if (!rate) {
        json_null(w);
        return;
    }
    json_object(w);
    json_key(w, "percent");
    json_double(w, rate->percent);
    json_key(w, "jobs");
    json_u64(w, rate->jobs);
    json_key(w, "basis");
    json_text(w, finding_rate_basis_name(rate->basis));
    json_object_end(w);
}
