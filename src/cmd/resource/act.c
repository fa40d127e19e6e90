/* SPDX-License-Identifier: Apache-2.0 */
/* act - baro resource act: drain in Slurm what is down, and resume that. */
#include "act/act.h"

#include "base/number.h"
#include "base/span.h"
#include "cmd/commands.h"
#include "cmd/request_run.h"
#include "net/net.h"

#define WHO "baro resource act"

struct resource_act_args {
    struct client_args client;
    const char *cluster, *slurm_cluster, *slurm_conf, *drain_on, *state, *sinfo,
        *scontrol, *actions;
    int64_t drain_after_ns, resume_after_ns, timeout_ns;
    uint64_t nodes_max, percent_max;
    bool dry_run, json;
};

static int rules_read(const struct resource_act_args *args, struct act_rules *ret,
                      struct err *err)
{
    *ret = (struct act_rules){
        .drain_after_ns = args->drain_after_ns ? args->drain_after_ns : 60 * NS_PER_S,
        .resume_after_ns =
            args->resume_after_ns ? args->resume_after_ns : 600 * NS_PER_S,
        .nodes_max = args->nodes_max,
        .percent_max = args->percent_max ? args->percent_max : 100,
    };
    if (!args->cluster || !args->drain_on || args->nodes_max == 0)
        return err_set(err, EINVAL, "--cluster, --drain-on and --nodes-max are needed");
    if (!act_cluster_is_valid(args->cluster))
        return err_set(err, EINVAL, "--cluster: no name of a cluster");
    return act_rules_read_drains(ret, span_of(args->drain_on), err);
}

static int resources_fetch(void *arg, const char *pattern, const char *healths,
                           struct table *ret, struct err *err)
{
    const struct resource_act_args *args = arg;
    AUTO(net_url_done) struct net_url url;
    net_url_init(&url, "/v1/resources");
    if (pattern)
        net_url_add(&url, "component", pattern);
    if (healths)
        net_url_add(&url, "health", healths);
    net_url_add(&url, "limit", "1000000");
    return client_http_fetch_table(&args->client.endpoint, &url, ret, err);
}

static void act_text_print(void *arg, const char *line)
{
    (void)arg;
    puts(line);
    (void)fflush(stdout);
}

static int resource_act(struct resource_act_args *args, const struct act_rules *rules,
                        struct act_outcome *ret, struct err *err)
{
    const struct slurm_opts slurm = {
        .sinfo = args->sinfo ? args->sinfo : "sinfo",
        .scontrol = args->scontrol ? args->scontrol : "scontrol",
        .conf = args->slurm_conf,
        .timeout_ns = args->timeout_ns ? args->timeout_ns : 10 * NS_PER_S,
    };
    const struct act_run_opts opts = {
        .rules = rules,
        .slurm = &slurm,
        .cluster = args->cluster,
        .slurm_cluster = args->slurm_cluster,
        .state = args->state,
        .is_dry = args->dry_run,
        .is_json = args->json,
        .actions_path = args->actions,
        .resources = resources_fetch,
        .print = act_text_print,
        .arg = args,
    };
    return act_run(&opts, ret, err);
}

static int resource_act_run(void *arg, int operand_count, char **operands)
{
    struct resource_act_args *args = arg;
    struct act_outcome outcome = { 0 };
    struct act_rules rules;
    struct err err = { 0 };
    (void)operands;
    if (operand_count > 0 || rules_read(args, &rules, &err) < 0) {
        fprintf(stderr, WHO ": %s\n",
                operand_count > 0 ? "it has no operands; see --help" : err.text);
        return EXIT_USAGE;
    }
    int rc = resource_act(args, &rules, &outcome, &err);
    if (rc < 0)
        return request_failed("resource act", rc, &err);
    return outcome.failed > 0 ? EXIT_FAILED : EXIT_OK;
}

#define ACT_FIELD(name) offsetof(struct resource_act_args, name)

static const struct option resource_act_options[] = {
    { "cluster", 'c', OPTION_TEXT, ACT_FIELD(cluster), "NAME",
      "The cluster whose nodes Slurm has; required." },
    { "slurm-cluster", 0, OPTION_TEXT, ACT_FIELD(slurm_cluster), "NAME",
      "ClusterName of Slurm, where that is not the cluster's name." },
    { "slurm-conf", 0, OPTION_TEXT, ACT_FIELD(slurm_conf), "FILE",
      "slurm.conf; SLURM_CONF of the environment is not used." },
    { "drain-on", 'd', OPTION_TEXT, ACT_FIELD(drain_on), "HEALTH[,HEALTH...]",
      "Drain hosts of this health: down, drained, degraded; required." },
    { "nodes-max", 'm', OPTION_LIMIT, ACT_FIELD(nodes_max), "COUNT",
      "So many nodes at a time, drained by it, at most; required." },
    { "percent-max", 'p', OPTION_LIMIT, ACT_FIELD(percent_max), "PERCENT",
      "Likewise, in percent of Slurm's nodes; default: 100." },
    { "drain-after", 0, OPTION_DURATION, ACT_FIELD(drain_after_ns), "DURATION",
      "Only hosts that have been so for so long; default: 1m." },
    { "resume-after", 0, OPTION_DURATION, ACT_FIELD(resume_after_ns), "DURATION",
      "Resume what it drained once the host was up for so long; default: 10m." },
    { "dry-run", 'n', OPTION_FLAG, ACT_FIELD(dry_run), NULL,
      "Only state, and record, what would be done." },
    { "actions", 'a', OPTION_TEXT, ACT_FIELD(actions), "FILE",
      "The site's own commands for causes, with their limits; default: none." },
    { "json", 'j', OPTION_FLAG, ACT_FIELD(json), NULL, "An object of JSON a line." },
    { "state", 0, OPTION_TEXT, ACT_FIELD(state), "DIR",
      "Where it records what it did; default: " ACT_STATE_DEFAULT "/CLUSTER." },
    { "sinfo", 0, OPTION_TEXT, ACT_FIELD(sinfo), "PROGRAM", "Default: sinfo." },
    { "scontrol", 0, OPTION_TEXT, ACT_FIELD(scontrol), "PROGRAM",
      "Default: scontrol." },
    { "timeout", 0, OPTION_DURATION, ACT_FIELD(timeout_ns), "DURATION",
      "Of each call of Slurm; default: 10s." },
    CLIENT_SERVER_OPTIONS,
};

const struct command cmd_resource_act = {
    .name = "resource act",
    .operands = "",
    .help = "Drain in Slurm what is down, and resume that, within limits.",
    .options = resource_act_options,
    .option_count = COUNT_OF(resource_act_options),
    .args_size = sizeof(struct resource_act_args),
    .run = resource_act_run,
};
