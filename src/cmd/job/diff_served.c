/* SPDX-License-Identifier: Apache-2.0 */
/* diff_served - baro job diff of jobs whose logs a barod has. */
#include "cmd/job/diff_served.h"

#include "cmd/output.h"
#include "dataset/repository/repository.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>

struct client_endpoint diff_endpoint(const struct job_gather_args *around)
{
    const struct series_opts *access = &around->sources.access;
    return (struct client_endpoint){ .server = access->server,
                                     .token_file = access->token_file,
                                     .ca_file = access->ca_file };
}

int diff_served_print(const struct job_gather_args *around,
                      const struct job_diff_request *request, const char *repository)
{
    AUTO(strbuf_done) struct strbuf page = STRBUF_INIT;
    const struct client_endpoint endpoint = diff_endpoint(around);
    int rc = job_served_diff(&endpoint, request, &page, NULL);
    if (rc < 0)
        return rc;
    const char *directory = repository ? repository : getenv("BARO_DATASETS");
    struct err err = { 0 };
    if (directory && *directory &&
        diff_text_complete(directory, DATASETS_DIFF_COMMAND, &page, &err) < 0 &&
        repository)
        fprintf(stderr, "baro job diff: --repository: %s\n", err.text);
    return output_print(&page, NULL);
}
