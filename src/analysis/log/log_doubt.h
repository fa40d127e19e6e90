/* SPDX-License-Identifier: Apache-2.0 */
/* log_doubt - what a log has that cannot be so, and what is known to be wrong in it. */
#ifndef ANALYSIS_LOG_LOG_DOUBT_H
#define ANALYSIS_LOG_LOG_DOUBT_H

#include "source/darshan/darshan.h"

/* Amounts of a whole log; NaN: unknown. */
struct log_amounts {
    double bytes; /* read and written */
    double io_s;  /* added up over all processes */
    double run_s; /* as log_run_s() */
    double processes;
};

/* Seconds from start to end; NaN where the log does not have both: 0 is no run time. */
double log_run_s(const struct darshan_job *job);
/* Why these amounts cannot be so, as half a sentence in static memory; NULL: they can.
 */
const char *log_doubt(const struct log_amounts *amounts);
/* Its common access sizes are not those of its accesses: Darshan 3.2.0 wrote wrong
 * ones. */
bool log_has_wrong_sizes(const struct darshan_job *job);

#endif
