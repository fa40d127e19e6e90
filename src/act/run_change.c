/* SPDX-License-Identifier: Apache-2.0 */
/* run_change - one node, drained or resumed: read again, recorded, done, read again. */
#include "act/run_private.h"

#include "base/clock.h"
#include "base/span.h"

#include <assert.h>
#include <errno.h>

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
    change->host = *host;
    int rc = run_resources(run, host->name, &change->resources, err);
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
    run_line(run, host->name, "left as it is", "",
             err->text[0] ? err->text : strerror(-rc));
}

static void change_print(const struct run *run, const struct act_host *host,
                         bool is_drain, const char *why)
{
    const char *what = is_drain ? "drained" : "resumed";
    if (run->opts->is_dry)
        what = is_drain ? "would be drained" : "would be resumed";
    run_line(run, host->name, what, why,
             is_drain && host->node->is_busy ? "jobs still run there" : "");
}

/* Another was faster, or came right behind: it is theirs. */
static void change_overruled(struct run *run, const struct act_host *found,
                             const char *why)
{
    struct err err = { 0 };
    const char *theirs = found->node->reason;
    (void)run_log(run, found, "overruled", theirs, "done");
    run_line(run, found->name, "drained, and another changed it meanwhile",
             theirs[0] ? theirs : "in service", "");
    if (run_record_set_durable(run, found, ACT_OVERRULED, why, &err) < 0)
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
    assert(found.node);
    found.drained_reason = why;
    bool is_ours = act_is_ours(&found);
    if (!is_drain && is_ours) {
        static const char as_before[] = "sinfo lists it drained by us as before";
        (void)run_log(run, &found, "resume", why, as_before);
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
    assert(host->node); /* change_confirm() read it */
    if (!opts->is_dry)
        rc = is_drain ? slurm_drain(opts->slurm, host->name, why, &err)
                      : slurm_resume(opts->slurm, host->name, &err);
    const char *result = rc == 0 ? "done" : err.text[0] ? err.text : strerror(-rc);
    (void)run_log(run, host, is_drain ? "drain" : "resume", why, result);
    if (rc == 0 && !opts->is_dry)
        rc = change_verify(run, change, why, &is_theirs, &err);
    if (rc == 0 && !opts->is_dry && !is_theirs)
        rc = run_record_set_durable(run, host, is_drain ? ACT_DRAINED : ACT_NOTHING,
                                    why, &err);
    change_count(run, change, rc);
    if (rc < 0)
        run_line(run, host->name, is_drain ? "not drained" : "not resumed", "",
                 err.text[0] ? err.text : strerror(-rc));
    else if (!is_theirs)
        change_print(run, host, is_drain, why);
}

/* Begun is durable before the scheduler hears of it; so is resuming. */
void run_change(struct run *run, const struct act_host *host, enum act_verb verb)
{
    AUTO(change_done) struct change change;
    struct err err = { 0 };
    change_init(&change, verb);
    int rc = change_prepare(run, host, &change, &err);
    if (rc == 0 && !run->opts->is_dry)
        rc = run_record_set_durable(run, &change.host,
                                    verb == ACT_DRAIN ? ACT_BEGUN : ACT_RESUMING,
                                    strbuf_text(&change.reason), &err);
    if (rc == 0)
        rc = change_confirm(run, &change, &err);
    if (rc == 0)
        change_do(run, &change);
    else
        change_withdraw(run, host, &change, rc, &err);
}
