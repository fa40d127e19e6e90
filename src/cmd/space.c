/* SPDX-License-Identifier: Apache-2.0 */
/* space - baro space: how full file systems are, and when they will be full. */
#include "base/span.h"
#include "base/suggest.h"
#include "cmd/commands.h"
#include "cmd/request_run.h"

#include <stdio.h>

struct space_args {
    struct client_args client; /* first: its options' offsets count from here */
    const char *by;
};

/* Errors: -EINVAL (there are no such rows). */
static int space_by_check(const char *by, struct err *err)
{
    static const char *const names[] = { "fs", "target", "user", "group", "project" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!by || strcmp(by, names[i]) == 0)
            return 0;
    return suggest_invalid(err, "--by", span_of(by),
                           "fs, target, user, group, project");
}

static int space_run(void *arg, int operand_count, char **operands)
{
    const struct space_args *args = arg;
    AUTO(net_url_done) struct net_url url;
    struct err err = { 0 };
    net_url_init(&url, "/v1/space");
    if (space_by_check(args->by, &err) < 0)
        return request_failed("space", -EINVAL, &err);
    if (operand_count > 1) {
        fprintf(stderr,
                "baro space: wants one file system, or a pattern as 'scratch*'\n");
        return EXIT_USAGE;
    }
    net_url_add(&url, "fs", operand_count > 0 ? operands[0] : NULL);
    net_url_add(&url, "by", args->by);
    net_url_add(&url, "from", args->client.from);
    net_url_add(&url, "to", args->client.to);
    net_url_add(&url, "last", args->client.last);
    if (args->client.limit)
        net_url_add_u64(&url, "limit", args->client.limit);
    return request_run_url(&args->client, &url, "space");
}

static const struct option options[] = {
    { "by", 'b', OPTION_TEXT, offsetof(struct space_args, by),
      "fs|target|user|group|project",
      "fs (default), target, user, group or project: what a row is." },
    { "from", 0, OPTION_TIME, CLIENT_FIELD(from), "TIME",
      "Beginning of the history: 2026-11-21T06:00Z, -30d, @1669010520." },
    { "to", 0, OPTION_TIME, CLIENT_FIELD(to), "TIME", "Its end; default: now." },
    { "last", 0, OPTION_TEXT, CLIENT_FIELD(last), "DURATION",
      "Its length up to its end, instead of a beginning; default: 14d." },
    { "limit", 'l', OPTION_LIMIT, CLIENT_FIELD(limit), "COUNT",
      "So many rows; default: all, of users, groups and projects 50." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_space = {
    .name = "space",
    .operands = "[FS]",
    .help = "How full file systems are, how fast they fill, and when they are full.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct space_args),
    .run = space_run,
    .details =
        "Growth is a day's, between clean-ups, of the last 14 days; full_at is "
        "when no\n"
        "space is left for users if it goes on, and is empty where growth is not "
        "clearly\n"
        "above 0.  --by user: what each of the largest users holds.\n"
        "\n"
        "Example: baro space scratch --by target --last 30d",
};
