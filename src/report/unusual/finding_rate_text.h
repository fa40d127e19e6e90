/* SPDX-License-Identifier: Apache-2.0 */
/* finding_rate_text - how often a finding is false, in words and as JSON. */
#ifndef REPORT_UNUSUAL_FINDING_RATE_TEXT_H
#define REPORT_UNUSUAL_FINDING_RATE_TEXT_H

#include "analysis/stats/stats.h"
#include "base/json_writer.h"
#include "base/strbuf.h"

/* "False alarms: 0.4 % of 1000 healthy jobs (simulated)"; NULL: "not measured". */
void finding_rate_print(const struct finding_rate *rate, struct strbuf *out);
/* The member "false_alarms": {"percent","jobs","basis"}, null where not measured. */
void finding_rate_json(const struct finding_rate *rate, struct json_writer *w);

#endif
