/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_text - prints job_stats as a given Lustre prints it; for tests and benches.
 *
 * Everything is a function of the seed: the same call prints the same text.
 */
#ifndef SOURCE_LUSTRE_TEST_JOBSTATS_TEXT_H
#define SOURCE_LUSTRE_TEST_JOBSTATS_TEXT_H

#include "base/strbuf.h"
#include "model/model.h"

#define JOBSTATS_FORMS 8
/* "2.5", "2.8", "2.12", "2.14", "2.15.0", "2.15.8", "2.16.1", "2.17.0" */
extern const char *const jobstats_form_names[JOBSTATS_FORMS];

/* The index of that form, or -1. */
int jobstats_form_find(const char *name);

/* "obdfilter.scratch-OST0001.job_stats=" and "job_stats:". */
void jobstats_text_head(struct strbuf *out, enum target_kind kind, unsigned index);

/* One entry; id is bytes, printed as that form prints them.  Its numbers come out of
 * *seed, which moves on. */
void jobstats_text_entry(struct strbuf *out, int form, enum target_kind kind,
                         struct span id, uint64_t *seed);

/* What an identifier looks like there, up to 2.7 with its line ends. */
void jobstats_text_id(struct strbuf *out, int form, struct span id);

#endif
