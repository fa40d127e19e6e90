/* SPDX-License-Identifier: Apache-2.0 */
/* submit - runs and steps of a list of jobs, to a barod. */
#include "cmd/job/submit.h"

#include "cmd/progress_line.h"
#include "cmd/warning.h"

#include <stdio.h>

#define SHOWN_EACH 1000 /* runs, after which the line of progress changes */

static int submit_shown(struct job_server *server, const struct job *jobs, size_t count,
                        int64_t since_ns, struct progress_line *line, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i += SHOWN_EACH) {
        size_t some = count - i < SHOWN_EACH ? count - i : SHOWN_EACH;
        rc = job_server_submit_runs(server, jobs + i, some, since_ns, err);
        progress_line_print(line, i + some, count);
    }
    progress_line_end(line);
    return rc;
}

int jobs_submit(const struct client_endpoint *endpoint, const struct job_list *list,
                int64_t since_ns, struct err *err)
{
    AUTO(job_server_close) struct job_server *server = NULL;
    struct progress_line line = { 0 };
    int rc = job_server_open(endpoint, &server, err);
    if (rc == 0)
        job_server_set_log(server, warning_print, NULL);
    progress_line_begin(&line, "jobs");
    if (rc == 0)
        rc = submit_shown(server, list->jobs, list->count, since_ns, &line, err);
    progress_line_begin(&line, "steps");
    if (rc == 0)
        rc = submit_shown(server, list->steps, list->step_count, since_ns, &line, err);
    if (rc == 0)
        rc = job_server_flush(server, err);
    if (rc < 0)
        return rc;
    if (list->steps_left_out > 0)
        fprintf(stderr, "baro job import: %llu steps of jobs were left out: too many\n",
                (unsigned long long)list->steps_left_out);
    const struct job_server_counts *counts = job_server_counts(server);
    fprintf(stderr,
            "baro job import: %llu new, %llu changed, %llu known, %llu refused\n",
            (unsigned long long)counts->accepted, (unsigned long long)counts->changed,
            (unsigned long long)counts->duplicate, (unsigned long long)counts->refused);
    if (counts->refused > 0 &&
        counts->accepted + counts->changed + counts->duplicate == 0)
        return err_set(err, EBADMSG, "barod refused every job");
    return 0;
}
