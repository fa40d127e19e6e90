/* SPDX-License-Identifier: Apache-2.0 */
/* finding_json - what stands out of a run, for programs. */
#ifndef REPORT_JOB_FINDING_JSON_H
#define REPORT_JOB_FINDING_JSON_H

#include "analysis/job/job.h"
#include "base/json_writer.h"

/* Members of the object that is open: any bytes of text in the form of identifiers,
 * null of what is no number, {"low_s", "high_s", "reason"}. */
void job_text_json(struct json_writer *w, const char *key, const char *text);
void job_number_json(struct json_writer *w, const char *key, double value);
void job_cost_json(struct json_writer *w, const char *key, const struct cost *cost);

/* One finding of a log, or of what was around a run, as an object. */
void job_finding_json(const struct finding *finding, struct json_writer *w);
/* All findings in their order, as the member "findings", and the kind of the one that
 * the first sentence is about, as "headline": null where nothing stands out. */
void job_headlines_json(const struct job_assessment *a, struct json_writer *w);

#endif
