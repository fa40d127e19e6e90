/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_top - baro jobstats top: who does most, right now. */
#include "base/clock.h"
#include "cmd/commands.h"
#include "cmd/request_run.h"
#include "cmd/table_follow.h"

#include <stdio.h>

struct args {
    struct client_args client; /* first: the shared options lie in it */
    bool follow;
    int64_t interval_ns;
};

struct top_request {
    const struct args *args;
    struct client *client;
};

static int top_fetch(void *arg, struct table *ret, struct err *err)
{
    const struct top_request *request = arg;
    AUTO(selection_done) struct selection sel;
    selection_init(&sel, clock_now_ms());
    int rc = client_args_select(&request->args->client, &sel, err);
    return rc < 0 ? rc : client_table(request->client, CLIENT_TOP, &sel, ret, err);
}

static int top_follow(const struct args *args, struct err *err)
{
    AUTO(client_close) struct client *client = NULL;
    int rc = client_open(&args->client.endpoint, &client, err);
    if (rc < 0)
        return rc;
    struct top_request request = { args, client };
    const struct table_follow follow = { .args = &args->client,
                                         .interval_ns = args->interval_ns,
                                         .fetch_fn = top_fetch,
                                         .arg = &request };
    return table_follow(&follow, err);
}

static int jobstats_top_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    struct err err = { 0 };
    (void)operands;
    int status = EXIT_OK;
    if (operand_count) {
        fprintf(stderr,
                "baro jobstats top: no operands are accepted; to filter: --job ID\n");
        status = EXIT_USAGE;
    } else if (!args->follow) {
        status = request_run(&args->client, CLIENT_TOP, "jobstats top");
    } else {
        int rc = top_follow(args, &err);
        if (rc < 0) {
            status = request_failed("jobstats top", rc, &err);
        }
    }
    return status;
}

static const struct option options[] = {
    CLIENT_SUM_OPTIONS,
    CLIENT_WINDOW_OPTIONS,
    { "follow", 'f', OPTION_FLAG, offsetof(struct args, follow), NULL,
      "Draw the table again and again, until Ctrl-C." },
    { "interval", 0, OPTION_DURATION, offsetof(struct args, interval_ns), "DURATION",
      "How often, with --follow; default 5s." },
    CLIENT_FILTER_OPTIONS,
    CLIENT_ENDPOINT_OPTIONS,
};

const struct command cmd_jobstats_top = {
    .name = "jobstats top",
    .operands = "",
    .help = "Who does most, right now, and since when.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = jobstats_top_run,
    .details =
        "share is the greatest of the group's shares of the operations shown, of "
        "all that\nthe filter lets through.  since is when its activity began, by "
        "UTC, over gaps of up\nto five minutes; \"before\": earlier than that.  "
        "jobs, targets and nodes are how many.\nA login entry is a job of its own, "
        "EXECUTABLE.USER.\n\nWho is writing to OST0001 right now, and since when?\n"
        "    baro jobstats top --target '*-OST0001' --op write_bytes\n",
};
