/* SPDX-License-Identifier: Apache-2.0 */
/* job_page - what is said of a run on one page: the answer first, then its grounds.
 *
 *     who it was                 ┐
 *     how much of it was I/O     ├ the answer
 *     what cost it the most      ┘
 *     what stands out, in the order of what it cost
 *     what it did; its servers; what was around it; its class
 */
#ifndef CMD_JOB_PAGE_H
#define CMD_JOB_PAGE_H

#include "analysis/climate/climate.h"
#include "analysis/job/job.h"
#include "analysis/table/table.h"
#include "analysis/weather/weather.h"
#include "base/zone.h"
#include "cmd/job_surroundings.h"

struct job_page {
    struct profile run;
    bool has_servers;
    struct job_servers servers;
    struct job_surroundings surroundings;
    struct finding findings[FINDINGS_ALL_MAX]; /* in order */
    size_t count;
    struct cost excess; /* longer than its class; unknown without a climate */
};

/* Fills findings and excess out of the rest. */
void job_page_find(struct job_page *page);
void job_page_done(struct job_page *page);
DEFINE_AUTO_DONE(struct job_page, job_page_done);

void job_page_print_text(const struct job_page *page, struct strbuf *out);
void job_page_print_line(const struct job_page *page, struct strbuf *out);
void job_page_print_json(const struct job_page *page, struct strbuf *out);

#endif
