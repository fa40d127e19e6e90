/* SPDX-License-Identifier: Apache-2.0 */
/* action_ground - what may be done on a host: by barod, Slurm and our record of it. */
#include "act/action_ground.h"

#include "base/clock.h"
#include "base/span.h"

#include <errno.h>
#include <string.h>

enum action_ground action_ground_of(const struct act_record *record, const char *host,
                                    enum resource_health health,
                                    const struct node_list *nodes)
{
    struct act_item item;
    if (!nodes)
        return ACTION_GROUND_NO_SLURM;
    const struct scheduler_node *node = node_list_find(nodes, span_of(host));
    if (!node)
        return ACTION_GROUND_NO_NODE;
    if (health == RESOURCE_DRAINED)
        return ACTION_GROUND_ADMINISTRATOR;
    (void)act_record_find(record, host, &item);
    const struct act_host is = {
        .name = host,
        .node = node,
        .record = item.state,
        .drained_reason = item.state == ACT_DRAINED ? item.reason : NULL,
    };
    if (item.state != ACT_DRAINED || !act_is_ours(&is))
        return ACTION_GROUND_NOT_OURS;
    if (!node->is_drained || node->is_unavailable || node->is_doubtful)
        return ACTION_GROUND_OTHER_STATE;
    return node->is_busy ? ACTION_GROUND_BUSY : ACTION_GROUND_IDLE;
}

/* ---- again ---- */

int action_cause_confirm(const struct act_run_opts *opts,
                         const struct action_step *step, int64_t clock_set_ns,
                         struct err *err)
{
    const struct action_cause *cause = step->cause;
    AUTO(table_done) struct table table;
    AUTO(action_causes_done) struct action_causes causes;
    table_init(&table);
    action_causes_init(&causes);
    int rc = opts->resources(opts->arg, cause->component, NULL, &table, err);
    if (rc == 0)
        rc = action_causes_read(&table, opts->cluster, &causes, err);
    for (size_t i = 0; rc == 0 && i < causes.count; i++) {
        const struct action_cause *is = &causes.causes[i];
        if (strcmp(is->component, cause->component) == 0 &&
            strcmp(is->check, cause->check) == 0 && is->state == cause->state)
            return action_cause_lasts(is, step->rule, clock_now_ns(), clock_set_ns)
                       ? 0
                       : err_set(err, ECANCELED,
                                 "it has not been so for long enough: it was changed "
                                 "meanwhile");
    }
    return rc < 0 ? rc : err_set(err, ECANCELED, "it was changed meanwhile");
}

/* What barod has of the host: it may be another component than the cause's. */
static int host_health(const struct act_run_opts *opts, const char *host,
                       enum resource_health *ret, struct err *err)
{
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    table_init(&table);
    component_print_name(&path, span_of(opts->cluster));
    strbuf_addf(&path, "/%s", host);
    if (strbuf_error(&path) < 0)
        return -ENOMEM;
    int rc = opts->resources(opts->arg, strbuf_text(&path), NULL, &table, err);
    if (rc < 0)
        return rc;
    int column = table_find_column(&table, "health");
    if (column < 0 || table.row_count != 1)
        return err_set(err, ECANCELED, "barod lists no host of that name");
    return resource_health_parse(span_of(table_at(&table, 0, (size_t)column)->text),
                                 ret);
}

int action_ground_confirm(const struct act_run_opts *opts,
                          const struct act_record *record,
                          const struct action_step *step, struct err *err)
{
    AUTO(node_list_done) struct node_list nodes;
    enum resource_health health = RESOURCE_UNKNOWN;
    const char *host = step->cause->host;
    int64_t requested_ns = clock_boot_ns();
    node_list_init(&nodes);
    int rc = host_health(opts, host, &health, err);
    if (rc == 0)
        rc = slurm_nodes(opts->slurm, host, &nodes, err);
    if (rc < 0)
        return rc;
    struct action_step is = *step;
    is.ground = nodes.count == 1 ? action_ground_of(record, host, health, &nodes)
                                 : ACTION_GROUND_NO_NODE;
    if (!action_ground_suffices(is.ground, step->rule->needs)) {
        AUTO(strbuf_done) struct strbuf why = STRBUF_INIT;
        is.hold = ACTION_HELD_GROUND;
        action_hold_print(&is, "", &why);
        return err_set(err, ECANCELED, "%s", strbuf_text(&why));
    }
    if (clock_boot_ns() - requested_ns > opts->slurm->timeout_ns)
        return err_set(err, ETIMEDOUT, "what barod and sinfo responded is too old");
    return 0;
}
