/* SPDX-License-Identifier: Apache-2.0 */
/* action_run - the actions of one run, behind its drains and resumes. */
#include "act/action_run.h"

#include "act/action_command.h"
#include "act/action_end.h"
#include "act/action_ground.h"
#include "act/action_plan.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/bounded_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of all rules together. */
#define RUNNING_MAX 64
#define OUTPUT_BYTES_MAX ((size_t)4096)

struct actions {
    const struct action_run_opts *opts;
    struct act_outcome *outcome;
    struct action_record *record;
    struct action_causes causes;
    struct action_step *steps;
    size_t step_count;
    bool *is_past; /* of each step: it was begun, or left */
    /* What runs; NULL: a slot that is free. */
    struct bounded_command *commands[RUNNING_MAX];
    size_t step_of[RUNNING_MAX];
    int64_t begun_ns[RUNNING_MAX];
    size_t running;
};

static void actions_done(struct actions *actions)
{
    for (size_t i = 0; i < RUNNING_MAX; i++)
        bounded_command_free(actions->commands[i]);
    free(actions->is_past);
    free(actions->steps);
    action_causes_done(&actions->causes);
    action_record_close(actions->record);
}
DEFINE_AUTO_DONE(struct actions, actions_done);

/* ---- lines and the log ---- */

static void step_print(const struct actions *actions, const struct action_step *step,
                       const char *what, const char *result)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf cause = STRBUF_INIT;
    strbuf_addf(&text, "action %s: %s", step->rule->name, what);
    action_cause_print(step->cause, &cause);
    const struct act_line line = {
        .who = step->cause->host,
        .what = strbuf_text(&text),
        .reason = strbuf_text(&cause),
        .result = result,
        .action = step->rule->name,
        .component = step->cause->component,
        .check = step->cause->check,
    };
    act_line_print(actions->opts->line, &line);
}

static int step_log(struct actions *actions, const struct action_step *step,
                    const char *result, struct act_entry_action *run, struct err *err)
{
    AUTO(strbuf_done) struct strbuf cause = STRBUF_INIT;
    action_cause_print(step->cause, &cause);
    run->name = step->rule->name;
    run->component = step->cause->component;
    run->check = step->cause->check;
    run->state = resource_health_name(step->cause->state);
    const struct act_entry entry = {
        .t_ns = clock_now_ns(),
        .node = step->cause->host,
        .action = "run",
        .reason = strbuf_text(&cause),
        .result = result,
        .is_busy = step->ground == ACTION_GROUND_BUSY,
        .is_dry = actions->opts->run->is_dry,
        .run = run,
    };
    return act_record_log(actions->opts->record, &entry, err);
}

static int step_record(struct actions *actions, const struct action_item *item,
                       struct err *err)
{
    int rc = action_record_set(actions->record, item);
    if (rc == -ENOSPC)
        return err_set(err, ENOSPC, "over %zu actions are in the record",
                       ACTION_ITEMS_MAX);
    return rc == 0 ? action_record_save(actions->record, err) : rc;
}

/* ---- those whose end is not known ---- */

static void lost_print(const struct actions *actions, const struct action_item *item)
{
    AUTO(strbuf_done) struct strbuf what = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf why = STRBUF_INIT;
    AUTO_FREE char *host = span_dup(action_cause_host(span_of(item->component)));
    const struct action_step step = { .hold = ACTION_HELD_LOST, .item = *item };
    strbuf_addf(&what, "action %s: its end is not known", item->action);
    action_hold_print(&step, action_record_path(actions->record), &why);
    const struct act_line line = {
        .who = host ? host : "",
        .what = strbuf_text(&what),
        .reason = item->component,
        .result = strbuf_text(&why),
        .action = item->action,
        .component = item->component,
        .check = item->check,
    };
    act_line_print(actions->opts->line, &line);
}

static int lost_log(struct actions *actions, const struct action_item *item,
                    struct err *err)
{
    AUTO_FREE char *host = span_dup(action_cause_host(span_of(item->component)));
    const struct act_entry_action run = {
        .name = item->action,
        .component = item->component,
        .check = item->check,
        .begun_ns = item->begun_ns,
    };
    const struct act_entry entry = {
        .t_ns = clock_now_ns(),
        .node = host,
        .action = "run",
        .result = "lost: its end is not known",
        .run = &run,
    };
    return act_record_log(actions->opts->record, &entry, err);
}

/* The lock is ours: what is begun was so by a program that is no more. */
static int lost_find(struct actions *actions, struct err *err)
{
    bool is_dry = actions->opts->run->is_dry;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < action_record_count(actions->record); i++) {
        struct action_item item;
        action_record_at(actions->record, i, &item);
        if (item.state != ACTION_BEGUN && item.state != ACTION_LOST)
            continue;
        if (item.state == ACTION_BEGUN && !is_dry) {
            rc = lost_log(actions, &item, err);
            item.state = ACTION_LOST;
            rc = rc == 0 ? action_record_set(actions->record, &item) : rc;
            action_record_at(actions->record, i, &item);
        }
        lost_print(actions, &item);
    }
    return rc == 0 && !is_dry ? action_record_save(actions->record, err) : rc;
}

/* ---- one step ---- */

static int command_start(struct actions *actions, size_t index, size_t slot,
                         struct err *err)
{
    const struct action_step *step = &actions->steps[index];
    AUTO(action_command_done) struct action_command command;
    action_command_init(&command);
    int rc = action_command_make(step->rule, step->cause, &command);
    if (rc < 0)
        return rc;
    const struct bounded_command_opts opts = {
        .argv = command.argv,
        .environment = command.environment,
        .directory = "/",
        .until_ns = clock_monotonic_ns() + step->rule->deadline_ns,
        .output_bytes_max = OUTPUT_BYTES_MAX,
        .message_bytes_max = OUTPUT_BYTES_MAX,
        .ends_with_us = true,
    };
    rc = bounded_command_start(&opts, &actions->commands[slot], err);
    if (rc < 0)
        return rc;
    actions->step_of[slot] = index;
    actions->running++;
    return 0;
}

/* Durable before the command is; then the node once more, and nothing between that and
 * the start may wait. */
static int step_begin(struct actions *actions, size_t index, size_t slot,
                      struct err *err)
{
    const struct action_step *step = &actions->steps[index];
    const struct action_run_opts *opts = actions->opts;
    bool goes_on =
        step->item.state == ACTION_FAILED && step->item.tries <= step->rule->retries;
    const struct action_item begun = {
        .action = step->rule->name,
        .component = step->cause->component,
        .check = step->cause->check,
        .result = "",
        .state = ACTION_BEGUN,
        .begun_ns = clock_now_ns(),
        .tries = goes_on ? step->item.tries + 1 : 1,
    };
    struct act_entry_action run = { .begun_ns = begun.begun_ns };
    int rc = step_record(actions, &begun, err);
    if (rc == 0)
        rc = step_log(actions, step, "begun", &run, err);
    if (rc == 0 && step->rule->needs != ACTION_NODE_ANY)
        rc = action_ground_confirm(opts->run, opts->record, step, err);
    if (rc == 0)
        rc = command_start(actions, index, slot, err);
    actions->begun_ns[slot] = begun.begun_ns;
    return rc;
}

/* It was not started: the record is as before, the log has why. */
static void step_withdraw(struct actions *actions, const struct action_step *step,
                          const struct action_item *before, int rc,
                          const struct err *err)
{
    struct act_entry_action run = { 0 };
    struct err none = { 0 };
    const char *why = err->text[0] ? err->text : strerror(-rc);
    if (step_record(actions, before, &none) < 0 ||
        step_log(actions, step, why, &run, &none) < 0)
        actions->outcome->failed++;
    actions->outcome->failed += rc != -ECANCELED;
    step_print(actions, step, "not run", why);
}

static void step_start(struct actions *actions, size_t index, size_t slot)
{
    struct action_step *step = &actions->steps[index];
    struct err err = { 0 };
    AUTO_FREE char *result = strdup(step->item.result);
    struct action_item before = step->item; /* its texts go with the record's item */
    before.action = step->rule->name;
    before.component = step->cause->component;
    before.check = step->cause->check;
    before.result = result ? result : "";
    actions->is_past[index] = true;
    int rc = action_cause_confirm(actions->opts->run, step, actions->opts->clock_set_ns,
                                  &err);
    if (rc < 0) {
        actions->outcome->failed += rc != -ECANCELED;
        step_print(actions, step, "not run", err.text[0] ? err.text : strerror(-rc));
        return;
    }
    rc = step_begin(actions, index, slot, &err);
    if (rc < 0)
        step_withdraw(actions, step, &before, rc, &err);
}

static void step_end(struct actions *actions, size_t slot)
{
    const struct action_step *step = &actions->steps[actions->step_of[slot]];
    AUTO(bounded_command_free)
    struct bounded_command *command = TAKE(actions->commands[slot]);
    AUTO(action_end_done) struct action_end end;
    struct err err = { 0 };
    struct action_item item;
    actions->running--;
    action_end_make(bounded_command_end(command), &end);
    struct act_entry_action run = {
        .begun_ns = actions->begun_ns[slot],
        .ended_ns = clock_now_ns(),
        .output = strbuf_text(&end.output),
        .cut_bytes = end.cut_bytes,
    };
    action_record_find(actions->record, step->rule->name, step->cause, &item);
    item.state = end.is_done ? ACTION_DONE : ACTION_FAILED;
    item.ended_ns = run.ended_ns;
    item.result = end.result;
    int rc = step_log(actions, step, end.result, &run, &err);
    if (rc == 0)
        rc = step_record(actions, &item, &err);
    actions->outcome->actions_done += end.is_done;
    actions->outcome->failed += !end.is_done || rc < 0;
    step_print(actions, step, end.result, strbuf_text(&end.output));
    if (rc < 0)
        step_print(actions, step, "not recorded",
                   err.text[0] ? err.text : strerror(-rc));
}

/* ---- all of them ---- */

static bool step_has_slot(const struct actions *actions, const struct action_step *step)
{
    uint64_t of_rule = 0;
    for (size_t i = 0; i < RUNNING_MAX; i++) {
        if (!actions->commands[i])
            continue;
        const struct action_step *other = &actions->steps[actions->step_of[i]];
        of_rule += other->rule == step->rule;
        if (strcmp(other->cause->host, step->cause->host) == 0)
            return false;
    }
    return of_rule < step->rule->running_max;
}

static size_t slot_find(const struct actions *actions)
{
    size_t slot = 0;
    while (slot < RUNNING_MAX && actions->commands[slot])
        slot++;
    return slot;
}

/* A step's confirmation may last for as long as barod and sinfo have: the deadlines of
 * what runs are looked at between two of them. */
static void steps_end(struct actions *actions)
{
    size_t slot;
    while ((slot = bounded_command_poll(actions->commands, RUNNING_MAX)) < RUNNING_MAX)
        step_end(actions, slot);
}

/* The first one that is to be begun, and may be now. */
static bool step_next(const struct actions *actions, size_t *ret_index,
                      size_t *ret_slot)
{
    *ret_slot = slot_find(actions);
    for (size_t i = 0; *ret_slot < RUNNING_MAX && i < actions->step_count; i++)
        if (!actions->is_past[i] && step_has_slot(actions, &actions->steps[i])) {
            *ret_index = i;
            return true;
        }
    return false;
}

static void steps_start(struct actions *actions, int64_t until_ns)
{
    size_t index, slot;
    for (steps_end(actions); step_next(actions, &index, &slot); steps_end(actions)) {
        if (clock_monotonic_ns() < until_ns) {
            step_start(actions, index, slot);
            continue;
        }
        actions->is_past[index] = true;
        step_print(actions, &actions->steps[index], "held back",
                   "this run is long enough (start_for): the next one goes on");
    }
}

static void steps_run(struct actions *actions)
{
    int64_t until_ns = clock_monotonic_ns() + actions->opts->run->actions->start_for_ns;
    steps_start(actions, until_ns);
    while (actions->running > 0) {
        size_t slot = bounded_command_wait(actions->commands, RUNNING_MAX);
        if (slot == RUNNING_MAX)
            return;
        step_end(actions, slot);
        steps_start(actions, until_ns);
    }
}

static void step_print_dry(struct actions *actions, const struct action_step *step)
{
    AUTO(action_command_done) struct action_command command;
    AUTO(strbuf_done) struct strbuf arguments = STRBUF_INIT;
    struct act_entry_action run = { 0 };
    struct err err = { 0 };
    action_command_init(&command);
    if (action_command_make(step->rule, step->cause, &command) < 0)
        return;
    for (size_t i = 0; command.argv[i]; i++)
        strbuf_addf(&arguments, "%s%s", i ? " " : "", command.argv[i]);
    step_print(actions, step, "would be run", strbuf_text(&arguments));
    if (step_log(actions, step, "would be run", &run, &err) < 0)
        actions->outcome->failed++;
}

/* Of what is done, or has not lasted, a line each minute is no use to a person. */
static void steps_print(struct actions *actions)
{
    bool is_all = actions->opts->run->is_dry || actions->opts->line->is_json;
    for (size_t i = 0; i < actions->step_count; i++) {
        const struct action_step *step = &actions->steps[i];
        AUTO(strbuf_done) struct strbuf why = STRBUF_INIT;
        bool is_quiet = step->hold == ACTION_HELD_DONE ||
                        step->hold == ACTION_HELD_ONCE ||
                        step->hold == ACTION_HELD_LASTS;
        actions->is_past[i] = step->hold != ACTION_RUNS || actions->opts->run->is_dry;
        if (step->hold == ACTION_RUNS && actions->opts->run->is_dry)
            step_print_dry(actions, step);
        if (step->hold == ACTION_RUNS || step->hold == ACTION_HELD_LOST ||
            (is_quiet && !is_all))
            continue;
        actions->outcome->limited += step->hold == ACTION_HELD_HOSTS;
        action_hold_print(step, action_record_path(actions->record), &why);
        step_print(actions, step, "held back", strbuf_text(&why));
    }
}

/* ---- what there is ---- */

static enum resource_health health_of(const struct act_hosts *hosts, const char *host)
{
    const uintptr_t *index = hashmap_get(&hosts->by_name, span_of(host));
    return index ? hosts->hosts[*index - 1].health : RESOURCE_UNKNOWN;
}

static int actions_plan(struct actions *actions, const struct node_list *nodes)
{
    const struct action_run_opts *opts = actions->opts;
    const struct action_causes *causes = &actions->causes;
    AUTO_FREE enum action_ground *grounds = calloc(causes->count + 1, sizeof *grounds);
    if (!grounds)
        return -ENOMEM;
    for (size_t i = 0; i < causes->count; i++)
        grounds[i] = action_ground_of(
            opts->record, causes->causes[i].host,
            opts->hosts ? health_of(opts->hosts, causes->causes[i].host)
                        : RESOURCE_UNKNOWN,
            nodes);
    const struct action_plan_opts plan = {
        .rules = opts->run->actions,
        .record = actions->record,
        .causes = causes->causes,
        .grounds = grounds,
        .cause_count = causes->count,
        .cluster = opts->run->cluster,
        .host_count =
            nodes && nodes->count < opts->host_count ? nodes->count : opts->host_count,
        .now_ns = clock_now_ns(),
        .clock_set_ns = opts->clock_set_ns,
    };
    int rc = action_plan(&plan, &actions->steps, &actions->step_count);
    if (rc == 0 && !(actions->is_past = calloc(actions->step_count + 1, sizeof(bool))))
        rc = -ENOMEM;
    return rc;
}

static int causes_read(struct actions *actions, struct err *err)
{
    const struct act_run_opts *run = actions->opts->run;
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    table_init(&table);
    int rc = run->resources(run->arg, NULL, ACTION_CAUSE_HEALTHS, &table, err);
    if (rc == 0)
        rc = action_causes_read(&table, run->cluster, &actions->causes, err);
    if (rc < 0 || actions->causes.unnamed == 0)
        return rc;
    strbuf_addf(&text, "%zu components have names that no action can have",
                actions->causes.unnamed);
    const struct act_line line = {
        .who = "", .what = strbuf_text(&text), .reason = "", .result = ""
    };
    act_line_print(actions->opts->line, &line);
    return 0;
}

int action_run(const struct action_run_opts *opts, struct act_outcome *outcome,
               struct err *err)
{
    AUTO(actions_done) struct actions actions = { .opts = opts, .outcome = outcome };
    AUTO(node_list_done) struct node_list nodes;
    struct err none = { 0 };
    node_list_init(&nodes);
    action_causes_init(&actions.causes);
    int rc = action_record_open(opts->directory, &actions.record, err);
    if (rc < 0)
        return rc;
    if (opts->is_clock_set)
        action_record_start_anew(actions.record, clock_now_ns());
    action_record_forget(actions.record, opts->run->actions, clock_now_ns());
    rc = lost_find(&actions, err);
    if (rc == 0)
        rc = causes_read(&actions, err);
    if (rc < 0)
        return rc;
    /* What was drained just now is so. */
    bool has_nodes =
        opts->hosts && slurm_nodes(opts->run->slurm, NULL, &nodes, &none) == 0;
    rc = actions_plan(&actions, has_nodes ? &nodes : NULL);
    if (rc < 0)
        return rc;
    steps_print(&actions);
    steps_run(&actions);
    return 0;
}
