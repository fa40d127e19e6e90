/* SPDX-License-Identifier: Apache-2.0 */
/* log_doubt - what a log has that cannot be so. */
#include "analysis/log/log_doubt.h"

#include <math.h>
#include <string.h>

#define BYTES_MAX 1152921504606846976.0 /* 1 EiB */
/* Of a process: a TiB each second, and as many threads in I/O at a time. */
#define SPEED_MAX 1099511627776.0
#define THREADS_MAX 1024
#define CLOCK_S 1.0 /* short runs in whole seconds */

double log_run_s(const struct darshan_job *job)
{
    double seconds = darshan_job_seconds(job);
    bool is_known = job->start_s > 0 && job->end_s >= job->start_s && seconds > 0;
    return is_known ? seconds : NAN;
}

const char *log_doubt(const struct log_amounts *amounts)
{
    const struct log_amounts *a = amounts;
    double run_s = a->run_s > 0 ? a->run_s + CLOCK_S : NAN;
    double processes = a->processes > 0 ? a->processes : 1;
    if (isnan(a->bytes) || a->bytes < 0)
        return "bytes or times are below zero";
    if (a->bytes > BYTES_MAX)
        return "more than 1 EiB was moved";
    if (a->bytes > run_s * processes * SPEED_MAX)
        return "more than 1 TiB/s was moved by each process";
    if (isinf(a->io_s) || a->io_s > run_s * processes * THREADS_MAX)
        return "the times of I/O are longer than all processes ran";
    return NULL;
}

bool log_has_wrong_sizes(const struct darshan_job *job)
{
    for (size_t i = 0; i < job->metadata_count; i++) {
        const char *value = job->metadata[i].value;
        if (strncmp(job->metadata[i].key, "lib_ver", 7) == 0 &&
            strcmp(value + strspn(value, " "), "3.2.0") == 0)
            return true;
    }
    return false;
}
