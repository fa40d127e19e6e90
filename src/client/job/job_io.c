/* SPDX-License-Identifier: Apache-2.0 */
/* job_io - what a user's jobs read and wrote, by the counters of file systems. */
#include "client/job/job_io.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

static int time_set(struct selection *sel, const char *name, int64_t t_ns,
                    struct err *err)
{
    char text[TIMETEXT_SIZE];
    size_t size = timetext_print(text, t_ns);
    return selection_set(sel, span_of(name), (struct span){ text, size }, err);
}

int job_io_query(const char *name, const struct client_endpoint *base, const char *user,
                 int64_t from_ns, int64_t to_ns, struct table *ret, struct err *err)
{
    static const char *const fixed[][2] = { { "by", "job" },
                                            { "op", "read_bytes,write_bytes" },
                                            { "limit", "100000" } };
    AUTO(client_close) struct client *client = NULL;
    AUTO(selection_done) struct selection sel;
    const struct client_endpoint there = client_endpoint_named(name, base);
    selection_init(&sel, clock_now_ns() / NS_PER_MS);
    if (!user || from_ns == INT64_MIN || !client_endpoint_is_server(name))
        return 0;
    if (to_ns == INT64_MAX)
        to_ns = clock_now_ns();
    int rc = selection_set(&sel, SPAN("user"), span_of(user), err);
    for (size_t i = 0; i < COUNT_OF(fixed) && rc == 0; i++)
        rc = selection_set(&sel, span_of(fixed[i][0]), span_of(fixed[i][1]), err);
    if (rc == 0)
        rc = time_set(&sel, "from", from_ns, err);
    if (rc == 0)
        rc = time_set(&sel, "to", to_ns, err);
    if (rc == 0)
        rc = client_open(&there, &client, err);
    return rc < 0 ? rc : client_table(client, CLIENT_TOP, &sel, ret, err);
}
