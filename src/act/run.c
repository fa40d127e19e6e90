/* SPDX-License-Identifier: Apache-2.0 */
/* run - one time: plan, and do it, node by node. */
#include "act/run.h"

#include "act/hosts.h"
#include "act/run_clock.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <strings.h>

#define FOUND_DONE "done, as a later run found"

struct run {
    const struct act_run_opts *opts;
    struct act_record *record;
    struct table resources;
    struct node_list nodes;
    struct act_hosts hosts;
    struct run_clock clock;
    int64_t now_ns; /* of the clock */
    struct act_outcome outcome;
};

static void run_init(struct run *run, const struct act_run_opts *opts)
{
    *run = (struct run){ .opts = opts };
    run_clock_read(&run->clock);
    run->now_ns = run->clock.t_ns;
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
    for (size_t i = 0; i < line.size; i++) /* others' texts are no commands of ours */
        if ((unsigned char)line.data[i] < ' ' || line.data[i] == 0x7f)
            line.data[i] = '?';
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
        .reason_before = host->node ? host->node->reason : NULL,
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

struct change {
    enum act_verb verb;
    struct act_host host; /* again; its node is of nodes, or the plan's */
    struct table resources;
    struct node_list nodes;
    struct act_item before; /* of the record; its texts are these */
    struct strbuf before_reason, reason;
    int64_t requested_ns; /* clock_boot_ns(), before anything was read */
};

static void change_init(struct change *change, enum act_verb verb)
{
    *change = (struct change){ .verb = verb, .requested_ns = clock_boot_ns() };
    table_init(&change->resources);
    node_list_init(&change->nodes);
}

static void change_done(struct change *change)
{
    strbuf_done(&change->before_reason);
    strbuf_done(&change->reason);
    node_list_done(&change->nodes);
    table_done(&change->resources);
}
DEFINE_AUTO_DONE(struct change, change_done);

/* The limits were applied when all were planned. */
static int change_check(const struct run *run, const struct change *change,
                        struct err *err)
{
    enum act_verb after;
    int rc = act_plan(&change->host, 1, SIZE_MAX / 100, run->opts->rules,
                      clock_now_ns(), &after);
    if (rc < 0)
        return rc;
    return after == change->verb ? 0
                                 : err_set(err, ECANCELED, "it was changed meanwhile");
}

/* What the record has of it goes when it is set: the host and what is put back have
 * copies.  What was begun may come to be late, with its reason: that is given again. */
static int change_texts(const struct run *run, struct change *change)
{
    struct act_host *host = &change->host;
    (void)act_record_find(run->record, host->name, &change->before);
    strbuf_adds(&change->before_reason,
                change->before.reason ? change->before.reason : "");
    if (host->drained_reason)
        strbuf_adds(&change->reason, host->drained_reason);
    else
        act_reason_print(host, &change->reason);
    if (strbuf_error(&change->before_reason) < 0 || strbuf_error(&change->reason) < 0)
        return -ENOMEM;
    change->before.reason = strbuf_text(&change->before_reason);
    host->drained_reason = host->drained_reason ? strbuf_text(&change->reason) : NULL;
    return 0;
}

/* Its health again. */
static int change_prepare(struct run *run, const struct act_host *host,
                          struct change *change, struct err *err)
{
    const struct act_run_opts *opts = run->opts;
    change->host = *host;
    int rc = opts->resources(opts->arg, host->name, &change->resources, err);
    if (rc == 0)
        rc = act_host_again(&change->resources, run->record, clock_now_ns(),
                            &change->host, err);
    if (rc == 0)
        rc = change_check(run, change, err);
    return rc == 0 ? change_texts(run, change) : rc;
}

/* To Slurm's programs a name may be one of several nodes: it has to be this one. */
static int node_read(const struct run *run, const char *name, struct node_list *ret,
                     const struct scheduler_node **ret_node, struct err *err)
{
    int rc = slurm_nodes(run->opts->slurm, name, ret, err);
    if (rc < 0)
        return rc;
    *ret_node = ret->count == 1 ? node_list_find(ret, span_of(name)) : NULL;
    return *ret_node ? 0 : err_set(err, ENOENT, "sinfo lists not this node alone");
}

/* Its node again.  No step that may wait is between this and scontrol. */
static int change_confirm(const struct run *run, struct change *change, struct err *err)
{
    int rc = node_read(run, change->host.name, &change->nodes, &change->host.node, err);
    if (rc == 0)
        rc = change_check(run, change, err);
    if (rc == 0 &&
        clock_boot_ns() - change->requested_ns > run->opts->slurm->timeout_ns)
        rc = err_set(err, ETIMEDOUT, "what barod and sinfo responded is too old");
    return rc;
}

/* scontrol was not called. */
static void change_withdraw(struct run *run, const struct act_host *host,
                            const struct change *change, int rc, const struct err *err)
{
    if (change->before.node && act_record_set(run->record, &change->before) < 0)
        run->outcome.failed++;
    run->outcome.failed += rc != -ECANCELED;
    line_print(run, host->name, "left as it is", "",
               err->text[0] ? err->text : strerror(-rc));
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

/* Another was faster, or came right behind: it is theirs. */
static void change_overruled(struct run *run, const struct act_host *found,
                             const char *why)
{
    struct err err = { 0 };
    const char *theirs = found->node->reason;
    (void)action_log(run, found, "overruled", theirs, "done");
    line_print(run, found->name, "drained, and another changed it meanwhile",
               theirs[0] ? theirs : "in service", "");
    if (record_set_durable(run, found, ACT_OVERRULED, why, &err) < 0)
        run->outcome.failed++;
}

/* What scontrol did, as sinfo lists it.  Where that does not respond the next run reads
 * it.  0: done. */
static int change_verify(struct run *run, const struct change *change, const char *why,
                         bool *ret_is_theirs, struct err *err)
{
    AUTO(node_list_done) struct node_list nodes;
    struct act_host found = change->host;
    struct err none = { 0 };
    bool is_drain = change->verb == ACT_DRAIN;
    node_list_init(&nodes);
    *ret_is_theirs = false;
    if (node_read(run, found.name, &nodes, &found.node, &none) < 0)
        return 0;
    found.drained_reason = why;
    bool is_ours = act_is_ours(&found);
    if (!is_drain && is_ours) {
        static const char as_before[] = "sinfo lists it drained by us as before";
        (void)action_log(run, &found, "resume", why, as_before);
        return err_set(err, EAGAIN, as_before);
    }
    *ret_is_theirs = is_drain && !is_ours;
    if (*ret_is_theirs)
        change_overruled(run, &found, why);
    return 0;
}

static void change_count(struct run *run, const struct change *change, int rc)
{
    run->outcome.failed += rc < 0;
    run->outcome.drained += rc == 0 && change->verb == ACT_DRAIN;
    run->outcome.resumed += rc == 0 && change->verb == ACT_RESUME;
}

/* The log first: a kill between leaves a second line, not none. */
static void change_do(struct run *run, const struct change *change)
{
    const struct act_run_opts *opts = run->opts;
    const struct act_host *host = &change->host;
    const char *why = strbuf_text(&change->reason);
    bool is_drain = change->verb == ACT_DRAIN, is_theirs = false;
    struct err err = { 0 };
    int rc = 0;
    if (!opts->is_dry)
        rc = is_drain ? slurm_drain(opts->slurm, host->name, why, &err)
                      : slurm_resume(opts->slurm, host->name, &err);
    const char *result = rc == 0 ? "done" : err.text[0] ? err.text : strerror(-rc);
    (void)action_log(run, host, is_drain ? "drain" : "resume", why, result);
    if (rc == 0 && !opts->is_dry)
        rc = change_verify(run, change, why, &is_theirs, &err);
    if (rc == 0 && !opts->is_dry && !is_theirs)
        rc = record_set_durable(run, host, is_drain ? ACT_DRAINED : ACT_NOTHING, why,
                                &err);
    change_count(run, change, rc);
    if (rc < 0)
        line_print(run, host->name, is_drain ? "not drained" : "not resumed", "",
                   err.text[0] ? err.text : strerror(-rc));
    else if (!is_theirs)
        change_print(run, host, is_drain, why);
}

/* Begun is durable before the scheduler hears of it; so is resuming. */
static void host_change(struct run *run, const struct act_host *host,
                        enum act_verb verb)
{
    AUTO(change_done) struct change change;
    struct err err = { 0 };
    change_init(&change, verb);
    int rc = change_prepare(run, host, &change, &err);
    if (rc == 0 && !run->opts->is_dry)
        rc = record_set_durable(run, &change.host,
                                verb == ACT_DRAIN ? ACT_BEGUN : ACT_RESUMING,
                                strbuf_text(&change.reason), &err);
    if (rc == 0)
        rc = change_confirm(run, &change, &err);
    if (rc == 0)
        change_do(run, &change);
    else
        change_withdraw(run, host, &change, rc, &err);
}

/* What of those that count needs a line: an administrator may have to do something.
 * NULL: nothing. */
static const char *counted_text(const struct act_host *host, bool is_known)
{
    if (act_is_unrecorded(host))
        return "drained with a reason of baro's that is not in this record: another "
               "program acts here, or a record was lost";
    if (!host->node)
        return "drained by us, and sinfo does not list it so";
    if (host->record == ACT_OVERRULED)
        return act_is_ours(host)
                   ? "a late drain of ours is over another's, whose "
                     "reason is in actions.log: resume or drain it by hand"
                   : NULL;
    if (!is_known)
        return "drained by us, and barod does not list it";
    return host->record == ACT_BEGUN ? "to be drained, and it is not seen yet" : NULL;
}

static void host_leave(const struct run *run, const struct act_host *host,
                       bool is_known)
{
    if (host->node && host->node->is_doubtful)
        line_print(run, host->name, "left as it is", "",
                   "sinfo lists it with two states");
    const char *text = act_counts(host) ? counted_text(host, is_known) : NULL;
    if (text)
        line_print(run, host->name, text, "", "it counts towards the limit");
}

/* While a call of ours may come to be done late another's is seen: that may be lost. */
static void host_overrule(struct run *run, const struct act_host *host)
{
    if (host->record == ACT_BEGUN || host->record == ACT_RESUMING)
        line_print(run, host->name,
                   "another drained it, or gave it a reason, while a call of ours may "
                   "come to be done late",
                   host->node->reason, "");
    record_change(run, host, ACT_OVERRULED, "overruled", "done");
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
    case ACT_STAYS:
        line_print(run, host->name, "not resumed: it is down in Slurm, too",
                   host->node->reason, "resume it by hand");
        break;
    case ACT_OVERRULE:
        host_overrule(run, host);
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

static void oddities_print(const struct run *run)
{
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf hosts = STRBUF_INIT;
    if (run->nodes.odd_lines > 0) {
        strbuf_addf(&lines, "%zu lines of sinfo are of no node", run->nodes.odd_lines);
        line_print(run, "", strbuf_text(&lines), "",
                   "reasons of several lines have them");
    }
    if (run->hosts.unnamed > 0) {
        strbuf_addf(&hosts, "%zu hosts of barod have names that no node can have",
                    run->hosts.unnamed);
        line_print(run, "", strbuf_text(&hosts), run->hosts.unnamed_component,
                   "they are never drained");
    }
}

/* Node names are the same at most sites: the name of the cluster has to be right. */
static int cluster_check(const struct run *run, struct err *err)
{
    const struct act_run_opts *opts = run->opts;
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    const char *want = opts->slurm_cluster ? opts->slurm_cluster : opts->cluster;
    int rc = slurm_cluster(opts->slurm, &name, err);
    if (rc < 0 || strcasecmp(strbuf_text(&name), want) == 0)
        return rc;
    return err_set(err, ENOENT,
                   "Slurm here is of cluster '%s', and not of '%s': nothing is done "
                   "(--slurm-cluster where it has another name for the same)",
                   strbuf_text(&name), want);
}

/* By a clock that was set everything would have been so for long, or never. */
static int clock_check(struct run *run)
{
    struct run_clock last;
    act_record_last_run(run->record, &last);
    if (last.t_ns == 0 || run_clock_is_continuous(&last, &run->clock))
        return 0;
    line_print(run, "",
               "since the last run this machine was started, or its clock set: what "
               "has to last for a while starts anew",
               "", "");
    return act_record_start_anew(run->record, &run->clock);
}

static int run_all(struct run *run, struct err *err)
{
    const struct act_hosts *hosts = &run->hosts;
    AUTO_FREE enum act_verb *verbs = calloc(hosts->count + 1, sizeof *verbs);
    if (!verbs)
        return -ENOMEM;
    oddities_print(run);
    int rc = act_plan(hosts->hosts, hosts->count, run->nodes.count, run->opts->rules,
                      run->now_ns, verbs);
    if (rc == 0)
        rc = act_record_set_last_run(run->record, &run->clock);
    for (size_t i = 0; rc == 0 && i < hosts->count; i++)
        host_act(run, &hosts->hosts[i], verbs[i], i < hosts->known);
    return rc == 0 && !run->opts->is_dry ? act_record_save(run->record, err) : rc;
}

int act_run(const struct act_run_opts *opts, struct act_outcome *ret, struct err *err)
{
    AUTO(run_done) struct run run;
    AUTO(strbuf_done) struct strbuf state = STRBUF_INIT;
    strbuf_addf(&state, ACT_STATE_DEFAULT "/%s", opts->cluster);
    const struct act_record_opts record = {
        .directory = opts->state ? opts->state : strbuf_text(&state),
        .cluster = opts->cluster,
        .old_directory = opts->state ? NULL : ACT_STATE_DEFAULT,
    };
    run_init(&run, opts);
    int rc = strbuf_error(&state);
    if (rc == 0)
        rc = act_record_open(&record, &run.record, err);
    if (rc == 0)
        rc = slurm_nodes(opts->slurm, NULL, &run.nodes, err);
    if (rc == 0)
        rc = cluster_check(&run, err);
    if (rc == 0)
        rc = opts->resources(opts->arg, NULL, &run.resources, err);
    if (rc == 0)
        rc = clock_check(&run);
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
