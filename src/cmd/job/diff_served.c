/* SPDX-License-Identifier: Apache-2.0 */
/* diff_served - baro job diff of jobs whose logs a barod has. */
#include "cmd/job/diff_served.h"

#include "cmd/output.h"

struct client_endpoint diff_endpoint(const struct job_gather_args *around)
{
    const struct series_opts *access = &around->sources.access;
    return (struct client_endpoint){ .server = access->server,
                                     .token_file = access->token_file,
                                     .ca_file = access->ca_file };
}

int diff_served_print(const struct job_gather_args *around,
                      const struct job_diff_request *request)
{
    AUTO(strbuf_done) struct strbuf page = STRBUF_INIT;
    const struct client_endpoint endpoint = diff_endpoint(around);
    int rc = job_served_diff(&endpoint, request, &page, NULL);
    return rc < 0 ? rc : output_print(&page, NULL);
}
