/* SPDX-License-Identifier: Apache-2.0 */
/* run - one time: plan, and do it, node by node. */
#include "act/run.h"

#include "act/hosts.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>

#define FOUND_DONE "done, as a later run found"

struct run {
    const struct act_run_opts *opts;
    struct act_record *record;
    struct table resources;
    struct node_list nodes;
    struct act_hosts hosts;
    int64_t now_ns;
    struct act_outcome outcome;
};

static void run_init(struct run *run, const struct act_run_opts *opts)
{
    *run = (struct run){ .opts = opts, .now_ns = clock_now_ns() };
    table_init(&run->resources);
    node_list_init(&run->nodes);
    act_hosts_init(&run->hosts);
}

static void run_done(struct run *run)
{
    act_hosts_done(&run->hosts);
    act_record_close(run->record);
    node_list_done(&run->nodes);
    table_done(&run->resources);
}
DEFINE_AUTO_DONE(struct run, run_done);

/* ---- what a person reads ---- */

static void line_print(const struct run *run, const char *who, const char *what,
                       const char *reason, const char *result)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    strbuf_addf(&line, "%s%s%s%s%s%s%s", who, *who ? ": " : "", what,
                *reason ? ": " : "", reason, *result ? ": " : "", result);
    if (strbuf_error(&line) == 0)
        run->opts->print(run->opts->arg, strbuf_text(&line));
}

static int action_log(struct run *run, const struct act_host *host, const char *action,
                      const char *reason, const char *result)
{
    struct err err = { 0 };
    const struct act_entry entry = {
        .t_ns = clock_now_ns(),
        .node = host->name,
        .action = action,
        .reason = reason,
        .result = result,
        .is_busy = host->node && host->node->is_busy,
        .is_dry = run->opts->is_dry,
    };
    int rc = act_record_log(run->record, &entry, &err);
    if (rc < 0) {
        run->outcome.failed++;
        line_print(run, host->name, "not recorded", err.text, "");
    }
    return rc;
}

/* ---- the record ---- */

static int record_set(struct run *run, const struct act_host *host,
                      enum act_record_state state, const char *reason)
{
    const struct act_item item = {
        .node = host->name,
        .state = state,
        .reason = reason,
        .changed_ns = clock_now_ns(),
        .since_ns = host->health == RESOURCE_UP ? host->since_ns : run->now_ns,
    };
    return act_record_set(run->record, &item);
}

static int record_set_durable(struct run *run, const struct act_host *host,
                              enum act_record_state state, const char *reason,
                              struct err *err)
{
    int rc = record_set(run, host, state, reason);
    return rc == 0 ? act_record_save(run->record, err) : rc;
}

/* action NULL: it is not worth a line of the log. */
static void record_change(struct run *run, const struct act_host *host,
                          enum act_record_state state, const char *action,
                          const char *result)
{
    const char *reason = host->drained_reason ? host->drained_reason : "";
    if (state == ACT_OVERRULED && host->node)
        reason = host->node->reason;
    if (run->opts->is_dry ||
        (action && action_log(run, host, action, reason, result) < 0))
        return;
    if (record_set(run, host, state, host->drained_reason) < 0)
        run->outcome.failed++;
}

/* ---- one node ---- */

struct again {
    struct act_host host;
    struct table resources; /* texts of host */
    struct node_list nodes;
    int64_t requested_ns; /* of the monotonic clock */
};

static void again_done(struct again *again)
{
    node_list_done(&again->nodes);
    table_done(&again->resources);
}
DEFINE_AUTO_DONE(struct again, again_done);

static int host_read_again(struct run *run, const struct act_host *host,
                           struct again *ret, struct err *err)
{
    const struct act_run_opts *opts = run->opts;
    ret->host = *host;
    ret->requested_ns = clock_monotonic_ns();
    int rc = opts->resources(opts->arg, host->name, &ret->resources, err);
    if (rc == 0)
        rc = act_host_again(&ret->resources, run->record, clock_now_ns(), &ret->host,
                            err);
    if (rc == 0)
        rc = slurm_nodes(opts->slurm, host->name, &ret->nodes, err);
    if (rc < 0)
        return rc;
    ret->host.node = node_list_find(&ret->nodes, span_of(host->name));
    if (clock_monotonic_ns() - ret->requested_ns > opts->slurm->timeout_ns)
        return err_set(err, ETIMEDOUT, "what barod and sinfo responded is too old");
    return 0;
}

/* The limits were applied when all were planned. */
static bool is_still_so(const struct run *run, const struct act_host *now,
                        enum act_verb verb)
{
    enum act_verb after;
    return act_plan(now, 1, SIZE_MAX / 100, run->opts->rules, clock_now_ns(), &after) ==
               0 &&
           after == verb;
}

/* Begun is durable before the scheduler hears of it; so is resuming. */
static int drain_node(struct run *run, const struct act_host *host, const char *reason,
                      struct err *err)
{
    int rc = record_set_durable(run, host, ACT_BEGUN, reason, err);
    return rc == 0 ? slurm_drain(run->opts->slurm, host->name, reason, err) : rc;
}

static int resume_node(struct run *run, const struct act_host *host, const char *reason,
                       struct err *err)
{
    int rc = record_set_durable(run, host, ACT_RESUMING, reason, err);
    return rc == 0 ? slurm_resume(run->opts->slurm, host->name, err) : rc;
}

static void change_print(const struct run *run, const struct act_host *host,
                         bool is_drain, const char *why)
{
    const char *what = is_drain ? "drained" : "resumed";
    if (run->opts->is_dry)
        what = is_drain ? "would be drained" : "would be resumed";
    line_print(run, host->name, what, why,
               is_drain && host->node->is_busy ? "jobs still run there" : "");
}

/* The log first: a kill between leaves a second line, not none. */
static void change_do(struct run *run, const struct act_host *host, bool is_drain,
                      const char *why)
{
    struct err err = { 0 };
    int rc = 0;
    if (!run->opts->is_dry)
        rc = is_drain ? drain_node(run, host, why, &err)
                      : resume_node(run, host, why, &err);
    const char *result = rc == 0 ? "done" : err.text[0] ? err.text : strerror(-rc);
    (void)action_log(run, host, is_drain ? "drain" : "resume", why, result);
    if (rc == 0 && !run->opts->is_dry)
        rc = record_set_durable(run, host, is_drain ? ACT_DRAINED : ACT_NOTHING, why,
                                &err);
    if (rc == 0)
        change_print(run, host, is_drain, why);
    else
        line_print(run, host->name, is_drain ? "not drained" : "not resumed", "",
                   err.text[0] ? err.text : strerror(-rc));
    run->outcome.failed += rc < 0;
    run->outcome.drained += rc == 0 && is_drain;
    run->outcome.resumed += rc == 0 && !is_drain;
}

static void host_change(struct run *run, const struct act_host *host,
                        enum act_verb verb)
{
    AUTO(strbuf_done) struct strbuf reason = STRBUF_INIT;
    AUTO(again_done) struct again again;
    struct err err = { 0 };
    table_init(&again.resources);
    node_list_init(&again.nodes);
    int rc = host_read_again(run, host, &again, &err);
    if (rc < 0 || !is_still_so(run, &again.host, verb)) {
        run->outcome.failed += rc < 0;
        line_print(run, host->name, "left as it is", "",
                   rc == 0       ? "it was changed meanwhile"
                   : err.text[0] ? err.text
                                 : strerror(-rc));
        return;
    }
    /* A copy: what the record has goes.  What was begun may come to be late, with its
     * reason: that is given again. */
    if (again.host.drained_reason && again.host.drained_reason[0])
        strbuf_adds(&reason, again.host.drained_reason);
    else
        act_reason_print(&again.host, &reason);
    if (strbuf_error(&reason) == 0)
        change_do(run, &again.host, verb == ACT_DRAIN, strbuf_text(&reason));
    else
        run->outcome.failed++;
}

/* What counts towards the limit and is not seen is printed: an administrator may have
 * to look at it. */
static void host_leave(const struct run *run, const struct act_host *host,
                       bool is_known)
{
    static const char counts[] = "it counts towards the limit";
    if (host->node && host->node->is_doubtful)
        line_print(run, host->name, "left as it is", "",
                   "sinfo lists it with two states");
    if (!act_counts(host))
        return;
    if (!host->node)
        line_print(run, host->name, "drained by us, and sinfo does not list it so", "",
                   counts);
    else if (!is_known)
        line_print(run, host->name, "drained by us, and barod does not list it", "",
                   counts);
    else if (host->record == ACT_BEGUN)
        line_print(run, host->name, "to be drained, and it is not seen yet", "",
                   counts);
}

static void host_act(struct run *run, const struct act_host *host, enum act_verb verb,
                     bool is_known)
{
    switch (verb) {
    case ACT_LEAVE:
        host_leave(run, host, is_known);
        break;
    case ACT_DRAIN:
    case ACT_RESUME:
        host_change(run, host, verb);
        break;
    case ACT_LIMITED:
        run->outcome.limited++;
        line_print(run, host->name,
                   run->opts->is_dry ? "would be not drained: the limit is reached"
                                     : "not drained: the limit is reached",
                   "", "");
        break;
    case ACT_REASONED:
        line_print(run, host->name, "not drained: Slurm has another's reason",
                   host->node->reason, "");
        break;
    case ACT_HOLD:
        record_change(run, host, ACT_DRAINED,
                      host->record == ACT_RESUMING ? "resume" : "drain",
                      host->record == ACT_RESUMING ? "not done" : FOUND_DONE);
        break;
    case ACT_SETTLE:
        record_change(run, host, ACT_NOTHING, "resume", FOUND_DONE);
        break;
    case ACT_LAPSE:
        record_change(run, host, ACT_NOTHING, "drain", "not done");
        break;
    case ACT_OVERRULE:
        record_change(run, host, ACT_OVERRULED, "overruled", "done");
        break;
    case ACT_FORGET:
        record_change(run, host, ACT_NOTHING, NULL, NULL);
        break;
    }
}

/* ---- all of them ---- */

static int names_match(const struct run *run, struct err *err)
{
    const struct act_hosts *hosts = &run->hosts;
    const char *cluster = run->opts->cluster;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    if (run->nodes.count == 0)
        return err_set(
            err, ENOENT,
            "sinfo lists no node: nothing is done (is it of this cluster, and "
            "may this user see its partitions?)");
    if (hosts->known == 0)
        return err_set(
            err, ENOENT,
            "barod knows no host of a cluster '%s': see 'baro resource list'", cluster);
    if (hosts->matched == 0)
        return err_set(err, ENOENT,
                       "no host of cluster '%s' is a node of Slurm: barod has '%s', "
                       "sinfo '%s'; name hosts in barod as Slurm does its nodes",
                       cluster, hosts->hosts[0].name, run->nodes.nodes[0].name);
    if (hosts->matched < (run->nodes.count + 1) / 2) {
        strbuf_addf(&line,
                    "barod knows only %zu of the %zu nodes of Slurm as hosts of '%s'",
                    hosts->matched, run->nodes.count, cluster);
        line_print(run, "", strbuf_text(&line), "", "the others are never drained");
    }
    return 0;
}

static void odd_lines_print(const struct run *run)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    if (run->nodes.odd_lines == 0)
        return;
    strbuf_addf(&line, "%zu lines of sinfo are of no node", run->nodes.odd_lines);
    line_print(run, "", strbuf_text(&line), "", "reasons of several lines have them");
}

static int run_all(struct run *run, struct err *err)
{
    const struct act_hosts *hosts = &run->hosts;
    AUTO_FREE enum act_verb *verbs = calloc(hosts->count + 1, sizeof *verbs);
    if (!verbs)
        return -ENOMEM;
    odd_lines_print(run);
    int rc = act_plan(hosts->hosts, hosts->count, run->nodes.count, run->opts->rules,
                      run->now_ns, verbs);
    if (rc == 0)
        rc = act_record_set_last_run(run->record, run->now_ns);
    for (size_t i = 0; rc == 0 && i < hosts->count; i++)
        host_act(run, &hosts->hosts[i], verbs[i], i < hosts->known);
    return rc == 0 && !run->opts->is_dry ? act_record_save(run->record, err) : rc;
}

int act_run(const struct act_run_opts *opts, struct act_outcome *ret, struct err *err)
{
    AUTO(run_done) struct run run;
    const struct act_record_opts record = { .directory = opts->state,
                                            .cluster = opts->cluster,
                                            .old_directory = opts->old_state };
    run_init(&run, opts);
    int rc = act_record_open(&record, &run.record, err);
    if (rc == 0)
        rc = slurm_nodes(opts->slurm, NULL, &run.nodes, err);
    if (rc == 0)
        rc = opts->resources(opts->arg, NULL, &run.resources, err);
    if (rc == 0)
        rc = act_hosts_make(&run.resources, &run.nodes, run.record, run.now_ns,
                            &run.hosts, err);
    if (rc == 0)
        rc = names_match(&run, err);
    if (rc == 0)
        rc = run_all(&run, err);
    if (rc == 0)
        *ret = run.outcome;
    return rc;
}
