/* SPDX-License-Identifier: Apache-2.0 */
/* run - one time: plan, and do it, node by node. */
#include "act/run.h"

#include "act/action_run.h"
#include "act/run_private.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <strings.h>

#define FOUND_DONE "done, as a later run found"

static void run_init(struct run *run, const struct act_run_opts *opts)
{
    *run =
        (struct run){ .opts = opts, .line = { opts->print, opts->arg, opts->is_json } };
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

/* ---- one node ---- */

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
        run_line(run, host->name, "left as it is", "",
                 "sinfo lists it with two states");
    const char *text = act_counts(host) ? counted_text(host, is_known) : NULL;
    if (text)
        run_line(run, host->name, text, "", "it counts towards the limit");
}

/* While a call of ours may come to be done late another's is seen: that may be lost. */
static void host_overrule(struct run *run, const struct act_host *host)
{
    if (host->record == ACT_BEGUN || host->record == ACT_RESUMING)
        run_line(run, host->name,
                 "another drained it, or gave it a reason, while a call of ours may "
                 "come to be done late",
                 host->node->reason, "");
    run_record_change(run, host, ACT_OVERRULED, "overruled", "done");
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
        run_change(run, host, verb);
        break;
    case ACT_LIMITED:
        run->outcome.limited++;
        run_line(run, host->name,
                 run->opts->is_dry ? "would be not drained: the limit is reached"
                                   : "not drained: the limit is reached",
                 "", "");
        break;
    case ACT_REASONED:
        run_line(run, host->name, "not drained: Slurm has another's reason",
                 host->node->reason, "");
        break;
    case ACT_HOLD:
        run_record_change(run, host, ACT_DRAINED,
                          host->record == ACT_RESUMING ? "resume" : "drain",
                          host->record == ACT_RESUMING ? "not done" : FOUND_DONE);
        break;
    case ACT_SETTLE:
        run_record_change(run, host, ACT_NOTHING, "resume", FOUND_DONE);
        break;
    case ACT_LAPSE:
        run_record_change(run, host, ACT_NOTHING, "drain", "not done");
        break;
    case ACT_STAYS:
        run_line(run, host->name, "not resumed: it is down in Slurm, too",
                 host->node->reason, "resume it by hand");
        break;
    case ACT_OVERRULE:
        host_overrule(run, host);
        break;
    case ACT_FORGET:
        run_record_change(run, host, ACT_NOTHING, NULL, NULL);
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
        run_line(run, "", strbuf_text(&line), "", "the others are never drained");
    }
    return 0;
}

static void oddities_print(const struct run *run)
{
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf hosts = STRBUF_INIT;
    if (run->nodes.odd_lines > 0) {
        strbuf_addf(&lines, "%zu lines of sinfo are of no node", run->nodes.odd_lines);
        run_line(run, "", strbuf_text(&lines), "",
                 "reasons of several lines have them");
    }
    if (run->hosts.unnamed > 0) {
        strbuf_addf(&hosts, "%zu hosts of barod have names that no node can have",
                    run->hosts.unnamed);
        run_line(run, "", strbuf_text(&hosts), run->hosts.unnamed_component,
                 "they are never drained");
    }
}

/* Node names are the same at most sites: the name of the cluster has to be right. */
static int cluster_check(struct run *run, struct err *err)
{
    const struct act_run_opts *opts = run->opts;
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    const char *want = opts->slurm_cluster ? opts->slurm_cluster : opts->cluster;
    int rc = slurm_cluster(opts->slurm, &name, err);
    if (rc < 0 || strcasecmp(strbuf_text(&name), want) == 0)
        return rc;
    run->is_other_slurm = true;
    return err_set(err, ENOENT,
                   "Slurm here is of cluster '%s', and not of '%s': nothing is done "
                   "(--slurm-cluster where it has another name for the same)",
                   strbuf_text(&name), want);
}

/* By a clock that was set everything would have been so for long, or never. */
static int clock_check(struct run *run, struct err *err)
{
    struct run_clock last;
    act_record_last_run(run->record, &last);
    run->clock.set_ns = last.set_ns;
    if (last.t_ns == 0 || run_clock_is_continuous(&last, &run->clock))
        return 0;
    run->is_clock_set = true;
    run->clock.set_ns = run->clock.t_ns;
    run_line(run, "",
             "since the last run this machine was started, or its clock set: what "
             "has to last for a while starts anew",
             "", "");
    int rc = act_record_start_anew(run->record, &run->clock);
    /* Also where this run ends early: else the next one would find it set still. */
    return rc == 0 && !run->opts->is_dry ? act_record_save(run->record, err) : rc;
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

static int slurm_read(struct run *run, struct err *err)
{
    int rc = slurm_nodes(run->opts->slurm, NULL, &run->nodes, err);
    return rc == 0 ? cluster_check(run, err) : rc;
}

static int nodes_act(struct run *run, struct err *err)
{
    int rc = act_hosts_make(&run->resources, &run->nodes, run->record, run->now_ns,
                            &run->hosts, err);
    if (rc == 0)
        rc = names_match(run, err);
    return rc == 0 ? run_all(run, err) : rc;
}

static int actions_act(struct run *run, const char *directory, bool has_slurm,
                       struct err *err)
{
    const struct action_run_opts opts = {
        .run = run->opts,
        .line = &run->line,
        .record = run->record,
        .directory = directory,
        .hosts = has_slurm ? &run->hosts : NULL,
        .host_count = has_slurm ? run->hosts.known : run->resources.row_count,
        .is_clock_set = run->is_clock_set,
        .clock_set_ns = run->clock.set_ns,
    };
    return run->opts->actions ? action_run(&opts, &run->outcome, err) : 0;
}

/* What needs no Slurm, where it is not another's. */
static int nodes_and_actions(struct run *run, const char *directory, bool has_slurm,
                             struct err *err)
{
    int rc = run_resources(run, NULL, &run->resources, err);
    if (rc == 0)
        rc = clock_check(run, err);
    if (rc == 0 && has_slurm)
        rc = nodes_act(run, err);
    return rc == 0 ? actions_act(run, directory, has_slurm, err) : rc;
}

/* A Slurm that does not respond ends it with its error, behind what needs none. */
static int run_with_record(struct run *run, const char *directory, struct err *err)
{
    struct err of_slurm = { 0 };
    int slurm_rc = slurm_read(run, &of_slurm), rc = 0;
    bool has_slurm = slurm_rc == 0;
    if (has_slurm || (run->opts->actions && !run->is_other_slurm))
        rc = nodes_and_actions(run, directory, has_slurm, err);
    if (rc < 0 || has_slurm)
        return rc;
    return err_set(err, -slurm_rc, "%s",
                   of_slurm.text[0] ? of_slurm.text : strerror(-slurm_rc));
}

int act_run(const struct act_run_opts *opts, struct act_outcome *ret, struct err *err)
{
    AUTO(run_done) struct run run;
    AUTO(action_rules_done) struct action_rules rules = { 0 };
    AUTO(strbuf_done) struct strbuf state = STRBUF_INIT;
    strbuf_addf(&state, ACT_STATE_DEFAULT "/%s", opts->cluster);
    const struct act_record_opts record = {
        .directory = opts->state ? opts->state : strbuf_text(&state),
        .cluster = opts->cluster,
        .old_directory = opts->state ? NULL : ACT_STATE_DEFAULT,
    };
    struct act_run_opts with_actions = *opts;
    run_init(&run, &with_actions);
    int rc = strbuf_error(&state);
    if (rc == 0 && opts->actions_path) {
        rc = action_rules_load(opts->actions_path, &rules, err);
        with_actions.actions = &rules;
    }
    if (rc == 0)
        rc = act_record_open(&record, &run.record, err);
    if (rc == 0)
        rc = run_with_record(&run, record.directory, err);
    if (rc == 0)
        *ret = run.outcome;
    return rc;
}
