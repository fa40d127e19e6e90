/* SPDX-License-Identifier: Apache-2.0 */
/* run - one time: plan, and do it, node by node. */
#include "act/run.h"

#include "act/record.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>

struct run {
    const struct act_run_opts *opts;
    struct act_record *record;
    struct node_list nodes;
    struct arena arena; /* names */
    struct act_host *hosts;
    size_t host_count;
    int64_t now_ns;
    struct act_outcome outcome;
};

static void run_done(struct run *run)
{
    act_record_close(run->record);
    node_list_done(&run->nodes);
    arena_done(&run->arena);
    free(run->hosts);
}
DEFINE_AUTO_DONE(struct run, run_done);

/* ---- hosts ---- */

static const char *cell_text(const struct table *table, size_t row, const char *column)
{
    int at = table_find_column(table, column);
    const struct table_cell *cell = at < 0 ? NULL : table_at(table, row, (size_t)at);
    return !cell || cell->is_null ? "" : cell->text;
}

static int host_of_row(struct run *run, const struct table *table, size_t row,
                       struct act_host *ret)
{
    struct component component;
    char name[RESOURCE_COMPONENT_BYTES_MAX];
    component_parse(span_of(cell_text(table, row, "component")), &component);
    if (component.host.size == 0 || component.host.size >= sizeof name ||
        component.type.size > 0 || component.id.size > 0)
        return -ENOENT;
    size_t size = component_unescape(component.host, name);
    int since = table_find_column(table, "since");
    const struct table_cell *cell = table_at(table, row, (size_t)since);
    *ret = (struct act_host){
        .name = arena_dup(&run->arena, (struct span){ name, size }),
        .since_ns = cell->is_null ? 0 : cell->i64 * NS_PER_MS,
        .reason = span_of(cell_text(table, row, "reason")),
    };
    if (!ret->name)
        return -ENOMEM;
    return resource_health_parse(span_of(cell_text(table, row, "health")),
                                 &ret->health) < 0
               ? -ENOENT
               : 0;
}

static int hosts_make(struct run *run, const struct table *table, struct err *err)
{
    int since = table_find_column(table, "since");
    if (table_find_column(table, "component") < 0 ||
        table_find_column(table, "health") < 0 || since < 0 ||
        table->columns[since].type != TABLE_TIME)
        return err_set(err, EBADMSG, "the response is no table of resources");
    run->hosts = calloc(table->row_count + 1, sizeof *run->hosts);
    if (!run->hosts)
        return -ENOMEM;
    for (size_t row = 0; row < table->row_count; row++) {
        struct act_host *host = &run->hosts[run->host_count];
        int rc = host_of_row(run, table, row, host);
        if (rc == -ENOMEM)
            return rc;
        if (rc < 0)
            continue;
        host->node = node_list_find(&run->nodes, span_of(host->name));
        (void)act_record_find(run->record, host->name, &host->record,
                              &host->drained_reason);
        run->host_count++;
    }
    return 0;
}

/* ---- actions ---- */

static void line_print(const struct run *run, const struct act_host *host,
                       const char *what, const char *reason, const char *result)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    strbuf_addf(&line, "%s: %s%s%s%s%s%s", host->name,
                run->opts->is_dry ? "would be " : "", what, *reason ? ": " : "", reason,
                *result ? ": " : "", result);
    if (strbuf_error(&line) == 0)
        run->opts->print(run->opts->arg, strbuf_text(&line));
}

static int action_log(struct run *run, const struct act_host *host, const char *action,
                      const char *reason, const char *result)
{
    struct err err = { 0 };
    const struct act_entry entry = {
        .t_ns = run->now_ns,
        .node = host->name,
        .action = action,
        .reason = reason,
        .result = result,
        .is_busy = host->node && host->node->is_busy,
        .is_dry = run->opts->is_dry,
    };
    int rc = act_record_log(run->record, &entry, &err);
    if (rc < 0)
        line_print(run, host, "not recorded", err.text, "");
    return rc;
}

/* What the scheduler has of it now: is it still what was planned? */
static bool is_still_so(struct run *run, const struct act_host *host,
                        struct act_host *again, struct node_list *one, struct err *err)
{
    enum act_verb before, after;
    *again = *host;
    if (slurm_nodes(run->opts->slurm, host->name, one, err) < 0)
        return false;
    again->node = node_list_find(one, span_of(host->name));
    const struct act_rules *rules = run->opts->rules;
    return act_plan(host, 1, SIZE_MAX / 100, rules, run->now_ns, &before) == 0 &&
           act_plan(again, 1, SIZE_MAX / 100, rules, run->now_ns, &after) == 0 &&
           before == after;
}

/* Begun is durable before the scheduler hears of it. */
static int drain_node(struct run *run, const struct act_host *host, const char *reason,
                      struct err *err)
{
    int rc = act_record_set(run->record, host->name, ACT_BEGUN, reason);
    if (rc == 0)
        rc = act_record_save(run->record, err);
    if (rc == 0)
        rc = slurm_drain(run->opts->slurm, host->name, reason, err);
    if (rc == 0)
        rc = act_record_set(run->record, host->name, ACT_DRAINED, reason);
    return rc;
}

static int resume_node(struct run *run, const struct act_host *host, struct err *err)
{
    int rc = slurm_resume(run->opts->slurm, host->name, err);
    return rc == 0 ? act_record_set(run->record, host->name, ACT_NOTHING, "") : rc;
}

static void host_change(struct run *run, const struct act_host *host, bool is_drain)
{
    AUTO(strbuf_done) struct strbuf reason = STRBUF_INIT;
    AUTO(node_list_done) struct node_list one;
    struct act_host now;
    struct err err = { 0 };
    node_list_init(&one);
    const char *action = is_drain ? "drain" : "resume";
    /* A copy: what the record has goes when it is resumed. */
    if (is_drain)
        act_reason_print(host, &reason);
    else
        strbuf_adds(&reason, host->drained_reason);
    const char *why = strbuf_text(&reason);
    if (!is_still_so(run, host, &now, &one, &err)) {
        run->outcome.failed += err.text[0] != '\0';
        line_print(run, host, "left as it is", "",
                   err.text[0] ? err.text : "it was changed meanwhile");
        return;
    }
    int rc = 0;
    if (!run->opts->is_dry)
        rc = is_drain ? drain_node(run, host, why, &err) : resume_node(run, host, &err);
    const char *result = rc == 0 ? "done" : err.text[0] ? err.text : strerror(-rc);
    rc = action_log(run, &now, action, why, result) < 0 ? -EIO : rc;
    line_print(run, host, is_drain ? "drained" : "resumed", why,
               rc < 0                          ? result
               : is_drain && now.node->is_busy ? "jobs still run there"
                                               : "");
    run->outcome.failed += rc < 0;
    run->outcome.drained += rc == 0 && is_drain;
    run->outcome.resumed += rc == 0 && !is_drain;
}

static void record_change(struct run *run, const struct act_host *host,
                          enum act_record_state state, const char *what)
{
    if (run->opts->is_dry)
        return;
    (void)act_record_set(run->record, host->name, state, host->drained_reason);
    if (what)
        (void)action_log(run, host, what, host->node ? host->node->reason : "", "done");
}

static void host_act(struct run *run, const struct act_host *host, enum act_verb verb)
{
    switch (verb) {
    case ACT_LEAVE:
        break;
    case ACT_DRAIN:
    case ACT_RESUME:
        host_change(run, host, verb == ACT_DRAIN);
        break;
    case ACT_LIMITED:
        run->outcome.limited++;
        line_print(run, host, "not drained: the limit is reached", "", "");
        break;
    case ACT_HOLD:
        record_change(run, host, ACT_DRAINED, NULL);
        break;
    case ACT_OVERRULE:
        record_change(run, host, ACT_OVERRULED, "overruled");
        break;
    case ACT_FORGET:
        record_change(run, host, ACT_NOTHING, NULL);
        break;
    }
}

static int run_all(struct run *run, struct err *err)
{
    AUTO_FREE enum act_verb *verbs = calloc(run->host_count + 1, sizeof *verbs);
    if (!verbs)
        return -ENOMEM;
    int rc = act_plan(run->hosts, run->host_count, run->nodes.count, run->opts->rules,
                      run->now_ns, verbs);
    for (size_t i = 0; rc == 0 && i < run->host_count; i++)
        host_act(run, &run->hosts[i], verbs[i]);
    return rc == 0 && !run->opts->is_dry ? act_record_save(run->record, err) : rc;
}

int act_run(const struct act_run_opts *opts, const struct table *resources,
            struct act_outcome *ret, struct err *err)
{
    AUTO(run_done) struct run run = { .opts = opts, .now_ns = clock_now_ns() };
    node_list_init(&run.nodes);
    arena_init(&run.arena, 0);
    int rc = act_record_open(opts->state, &run.record, err);
    if (rc == 0)
        rc = slurm_nodes(opts->slurm, NULL, &run.nodes, err);
    if (rc == 0)
        rc = hosts_make(&run, resources, err);
    if (rc == 0)
        rc = run_all(&run, err);
    if (rc == 0)
        *ret = run.outcome;
    return rc;
}
