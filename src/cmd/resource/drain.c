/* SPDX-License-Identifier: Apache-2.0 */
/* drain - baro resource drain, and resume: what an administrator states of hosts. */
#include "base/span.h"
#include "cmd/commands.h"
#include "cmd/request_run.h"
#include "net/net.h"

struct resource_drain_args {
    struct client_args client;
    const char *cluster, *reason;
};

/* With a "/" it is a component, else a set of hosts. */
static int drain_send(const struct resource_drain_args *args, const char *path,
                      const char *what, struct err *err)
{
    AUTO(client_http_close) struct client_http *http = NULL;
    AUTO(net_url_done) struct net_url url;
    struct span response;
    net_url_init(&url, path);
    net_url_add(&url, strchr(what, '/') ? "component" : "hosts", what);
    if (args->cluster)
        net_url_add(&url, "cluster", args->cluster);
    if (args->reason)
        net_url_add(&url, "reason", args->reason);
    int rc = client_http_open(&args->client.endpoint, &http, err);
    if (rc < 0)
        return rc;
    return client_http_post(http, strbuf_text(&url.text), NULL, SPAN(""), &response,
                            err);
}

static int drain_command(const struct resource_drain_args *args, int operand_count,
                         char **operands, const char *verb)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    char command[32];
    struct err err = { 0 };
    (void)snprintf(command, sizeof command, "resource %s", verb);
    if (operand_count != 1) {
        fprintf(stderr, "baro %s: name one set of HOSTS, or a COMPONENT\n", command);
        return EXIT_USAGE;
    }
    strbuf_addf(&path, "/v1/resources/%s", verb);
    int rc = strbuf_error(&path);
    if (rc == 0)
        rc = drain_send(args, strbuf_text(&path), operands[0], &err);
    return rc < 0 ? request_failed(command, rc, &err) : EXIT_OK;
}

static int resource_drain_run(void *arg, int operand_count, char **operands)
{
    const struct resource_drain_args *args = arg;
    if (!args->reason) {
        fprintf(stderr, "baro resource drain: --reason is missing\n");
        return EXIT_USAGE;
    }
    return drain_command(args, operand_count, operands, "drain");
}

static int resource_resume_run(void *arg, int operand_count, char **operands)
{
    return drain_command(arg, operand_count, operands, "resume");
}

#define CLUSTER_OPTION                                                              \
    {                                                                               \
        "cluster", 'c', OPTION_TEXT, offsetof(struct resource_drain_args, cluster), \
            "NAME", "Hosts of this cluster; default: of each that has such a host." \
    }

static const struct option resource_drain_options[] = {
    { "reason", 'r', OPTION_TEXT, offsetof(struct resource_drain_args, reason), "TEXT",
      "Why; required." },
    CLUSTER_OPTION,
    CLIENT_SERVER_OPTIONS,
};

static const struct option resource_resume_options[] = {
    { "reason", 'r', OPTION_TEXT, offsetof(struct resource_drain_args, reason), "TEXT",
      "What was done, for the history." },
    CLUSTER_OPTION,
    CLIENT_SERVER_OPTIONS,
};

const struct command cmd_resource_drain = {
    .name = "resource drain",
    .operands = "HOSTS|COMPONENT",
    .help = "Drain hosts or a component: not to be used until resumed.",
    .options = resource_drain_options,
    .option_count = COUNT_OF(resource_drain_options),
    .args_size = sizeof(struct resource_drain_args),
    .run = resource_drain_run,
};

const struct command cmd_resource_resume = {
    .name = "resource resume",
    .operands = "HOSTS|COMPONENT",
    .help = "End that: what sources state about them counts again.",
    .options = resource_resume_options,
    .option_count = COUNT_OF(resource_resume_options),
    .args_size = sizeof(struct resource_drain_args),
    .run = resource_resume_run,
};
