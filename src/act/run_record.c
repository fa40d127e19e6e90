/* SPDX-License-Identifier: Apache-2.0 */
/* run_record - what a run prints, what it records, and what it reads of barod. */
#include "act/run_private.h"

#include "base/clock.h"
#include "base/span.h"

#include <errno.h>

/* ---- what a person reads ---- */

void run_line(const struct run *run, const char *who, const char *what,
              const char *reason, const char *result)
{
    const struct act_line line = {
        .who = who, .what = what, .reason = reason, .result = result
    };
    act_line_print(&run->line, &line);
}

int run_log(struct run *run, const struct act_host *host, const char *action,
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
        run_line(run, host->name, "not recorded", err.text, "");
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

int run_record_set_durable(struct run *run, const struct act_host *host,
                           enum act_record_state state, const char *reason,
                           struct err *err)
{
    int rc = record_set(run, host, state, reason);
    return rc == 0 ? act_record_save(run->record, err) : rc;
}

void run_record_change(struct run *run, const struct act_host *host,
                       enum act_record_state state, const char *action,
                       const char *result)
{
    const char *reason = host->drained_reason ? host->drained_reason : "";
    if (state == ACT_OVERRULED && host->node)
        reason = host->node->reason;
    if (run->opts->is_dry || (action && run_log(run, host, action, reason, result) < 0))
        return;
    if (record_set(run, host, state, host->drained_reason) < 0)
        run->outcome.failed++;
}

/* ---- of barod ---- */

int run_resources(const struct run *run, const char *node, struct table *ret,
                  struct err *err)
{
    AUTO(strbuf_done) struct strbuf pattern = STRBUF_INIT;
    component_print_name(&pattern, span_of(run->opts->cluster));
    strbuf_adds(&pattern, node ? "/" : "/*");
    if (node)
        component_print_name(&pattern, span_of(node));
    return strbuf_error(&pattern) < 0
               ? -ENOMEM
               : run->opts->resources(run->opts->arg, strbuf_text(&pattern), NULL, ret,
                                      err);
}
