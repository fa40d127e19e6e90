/* SPDX-License-Identifier: Apache-2.0 */
/* fleet_player - plays the health of many nodes into the real rooms: checks, presence,
 * the table of resources, the plan of actions.
 *
 *     plan.txt ─▶ checks of each node ─▶ statements ─▶ table ─▶ plan ─▶ actions.txt
 *                 presence ───────────────┘  └▶ posts/NNN.ndjson   nodes of a scheduler
 *
 *     baro-sim-fleet DIR [nodes-max]
 *
 * DIR is what `tests/sim/centre/centre health` wrote.  The scheduler is played: a node
 * is drained or not, with a reason, and its controller may be away.
 */
#include "act/act.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "resource/resource.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#define CLUSTER "sim"
#define LINE_MAX_BYTES 256

struct sim_node {
    char name[32];
    struct resource_checks *checks;
    enum resource_health node, mounts;
    int dimm; /* enum resource_health; -1: nothing is stated of it */
    bool is_silent;
    /* In the scheduler, and in the record of actions. */
    struct scheduler_node slurm;
    char slurm_reason[ACT_REASON_BYTES_MAX + 8];
    enum act_record_state record;
    char record_reason[ACT_REASON_BYTES_MAX + 8];
};

struct sim {
    const char *directory;
    uint64_t node_count, triggers, period_s, start_s;
    struct sim_node *nodes;
    struct span plan; /* what is left of it */
    bool is_away;     /* the controller */
    struct resource_rules rules;
    struct resource_table *table;
    struct presence *presence;
    struct act_rules act;
    struct act_host *hosts;
    size_t host_count;
    enum act_verb *verbs;
    FILE *actions, *posts;
    int64_t now_ns;
    uint64_t trigger;
};

static void die(const char *what)
{
    fprintf(stderr, "baro-sim-fleet: %s\n", what);
    exit(1); /* a player, not a library */
}

/* ---- the plan ---- */

static struct span word(struct span *line)
{
    struct span ret;
    (void)span_cut(line, ' ', &ret);
    return ret;
}

static uint64_t number_of(struct span text)
{
    uint64_t ret = 0;
    if (number_parse_u64(text, &ret) < 0)
        die("a number is wanted in plan.txt");
    return ret;
}

static void read_head(struct sim *sim)
{
    struct {
        const char *name;
        uint64_t *value;
    } fields[] = { { "nodes", &sim->node_count },
                   { "triggers", &sim->triggers },
                   { "period", &sim->period_s },
                   { "start", &sim->start_s } };
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        struct span line;
        (void)span_cut(&sim->plan, '\n', &line);
        if (!span_is(word(&line), fields[i].name))
            die("plan.txt has another beginning");
        *fields[i].value = number_of(line);
    }
    if (sim->node_count < 1 || sim->node_count > 100000 || sim->triggers > 100000)
        die("so many nodes or triggers are not played");
}

static struct sim_node *node_of(struct sim *sim, struct span name)
{
    uint64_t number = number_of(span_skip(name, 1));
    if (number < 1 || number > sim->node_count)
        die("plan.txt names a node that there is not");
    return &sim->nodes[number - 1];
}

static void apply_one(struct sim *sim, const struct resource_statement *s)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    struct resource_statement stored, put = *s;
    /* As daemon/health/resources.c: another reason is so since before. */
    if (resource_table_find(sim->table, s->component, s->source, &stored) &&
        stored.health == s->health && s->t_ns > stored.t_ns)
        put.t_ns = stored.t_ns + 1;
    if (resource_table_apply(sim->table, &put, 1, sim->now_ns) < 0)
        die("out of memory");
    resource_statement_print_line(s, &line);
    (void)fwrite(line.data, 1, line.size, sim->posts);
}

static void change_check(struct sim_node *node, struct span check, struct span health)
{
    enum resource_health found;
    if (resource_health_parse(health, &found) < 0)
        die("plan.txt has an unknown health");
    if (span_is(check, "node"))
        node->node = found;
    else if (span_is(check, "mounts"))
        node->mounts = found;
    else
        node->dimm = (int)found;
}

static void change_opinion(struct sim *sim, const struct sim_node *node)
{
    char path[64];
    (void)snprintf(path, sizeof path, CLUSTER "/%s", node->name);
    const struct resource_statement s = { .component = span_of(path),
                                          .source = SPAN("user:alice"),
                                          .health = RESOURCE_DOWN,
                                          .reason = SPAN("it is slow"),
                                          .t_ns = sim->now_ns };
    if (resource_table_apply(sim->table, &s, 1, sim->now_ns) < 0)
        die("out of memory");
}

static void change_line(struct sim *sim, struct span line)
{
    struct span what = word(&line);
    if (span_is(what, "controller")) {
        sim->is_away = span_is(line, "away");
        return;
    }
    struct sim_node *node = node_of(sim, word(&line));
    if (span_is(what, "check")) {
        struct span check = word(&line);
        change_check(node, check, line);
    } else if (span_is(what, "silent") || span_is(what, "sends")) {
        node->is_silent = span_is(what, "silent");
    } else if (span_is(what, "opinion")) {
        change_opinion(sim, node);
    } else if (span_is(what, "admin")) {
        node->slurm.is_drained = true;
        (void)snprintf(node->slurm_reason, sizeof node->slurm_reason, "board swap");
    } else {
        die("plan.txt has an unknown word");
    }
}

/* All lines of this trigger. */
static void read_trigger(struct sim *sim)
{
    while (sim->plan.size > 0) {
        struct span rest = sim->plan, line;
        (void)span_cut(&rest, '\n', &line);
        if (number_of(word(&line)) > sim->trigger)
            return;
        sim->plan = rest;
        change_line(sim, line);
    }
}

/* ---- what nodes state ---- */

static void state_check(struct sim *sim, struct sim_node *node, const char *name,
                        const char *part, enum resource_health health)
{
    static const char *const reasons[RESOURCE_HEALTH_COUNT] = {
        [RESOURCE_UNKNOWN] = "timed out",
        [RESOURCE_DEGRADED] = "14 corrected errors",
        [RESOURCE_DOWN] = "it does not work",
    };
    const struct resource_check check = {
        .kind = "plugin",
        .name = span_of(name),
        .part = span_of(part),
        .health = health,
        .reason = reasons[health] ? span_of(reasons[health]) : SPAN(""),
        .t_ns = sim->now_ns,
    };
    struct resource_statement statement;
    int rc = resource_checks_state(node->checks, &check, &statement);
    if (rc < 0)
        die("a check cannot be stated");
    if (rc > 0)
        apply_one(sim, &statement);
}

static void state_node(struct sim *sim, struct sim_node *node)
{
    const struct presence_time now = { sim->now_ns, sim->now_ns };
    if (node->is_silent)
        return;
    state_check(sim, node, "node", CHECK_OF_HOST, node->node);
    state_check(sim, node, "mounts", CHECK_OF_HOST, node->mounts);
    if (node->dimm >= 0)
        state_check(sim, node, "edac", "dimm:A1", (enum resource_health)node->dimm);
    if (presence_heard(sim->presence, SPAN(CLUSTER), span_of(node->name),
                       PRESENCE_SAMPLE, &now) < 0)
        die("a node is not known by what it sends");
}

static void on_presence(void *arg, const struct resource_statement *statement)
{
    apply_one(arg, statement);
}

/* ---- what is done ---- */

static int on_view(void *arg, const struct resource_view *view)
{
    struct sim *sim = arg;
    struct component component;
    component_parse(view->component, &component);
    struct sim_node *node = node_of(sim, component.host);
    sim->hosts[sim->host_count++] = (struct act_host){
        .name = node->name,
        .health = view->health,
        .since_ns = view->since_ns,
        .reason = view->reason,
        .node = &node->slurm,
        .record = node->record,
        .drained_reason = node->record_reason[0] ? node->record_reason : NULL,
    };
    return 0;
}

static void record_set(struct sim_node *node, enum act_record_state state)
{
    node->record = state;
    if (state == ACT_NOTHING)
        node->record_reason[0] = '\0';
}

static void do_drain(struct sim *sim, struct sim_node *node,
                     const struct act_host *host)
{
    AUTO(strbuf_done) struct strbuf reason = STRBUF_INIT;
    act_reason_print(host, &reason);
    (void)snprintf(node->slurm_reason, sizeof node->slurm_reason, "%s",
                   strbuf_text(&reason));
    (void)snprintf(node->record_reason, sizeof node->record_reason, "%s",
                   strbuf_text(&reason));
    node->slurm.is_drained = true;
    node->record = ACT_DRAINED;
    fprintf(sim->actions, "%llu drain %s %s\n", (unsigned long long)sim->trigger,
            node->name, node->slurm_reason);
}

static void do_verb(struct sim *sim, const struct act_host *host, enum act_verb verb)
{
    struct sim_node *node = node_of(sim, span_of(host->name));
    switch (verb) {
    case ACT_DRAIN:
        do_drain(sim, node, host);
        break;
    case ACT_RESUME:
        fprintf(sim->actions, "%llu resume %s\n", (unsigned long long)sim->trigger,
                node->name);
        node->slurm.is_drained = false;
        node->slurm_reason[0] = '\0';
        record_set(node, ACT_NOTHING);
        break;
    case ACT_OVERRULE:
        record_set(node, ACT_OVERRULED);
        break;
    case ACT_FORGET:
        record_set(node, ACT_NOTHING);
        break;
    case ACT_HOLD:
    case ACT_LEAVE:
    case ACT_LIMITED:
    case ACT_REASONED:
    case ACT_STAYS:
    case ACT_SETTLE:
    case ACT_LAPSE:
        break;
    }
}

/* As `baro resource act`: nothing where the scheduler does not respond. */
static void act(struct sim *sim)
{
    const struct resource_filter hosts = { .only_hosts = true };
    if (sim->is_away)
        return;
    sim->host_count = 0;
    if (resource_table_each(sim->table, &hosts, on_view, sim) < 0 ||
        act_plan(sim->hosts, sim->host_count, sim->node_count, &sim->act,
                 sim->now_ns + 5 * NS_PER_S, sim->verbs) < 0)
        die("out of memory");
    for (size_t i = 0; i < sim->host_count; i++)
        do_verb(sim, &sim->hosts[i], sim->verbs[i]);
}

/* ---- a play ---- */

static void posts_open(struct sim *sim)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/posts/%04llu.ndjson", sim->directory,
                   (unsigned long long)sim->trigger);
    if (sim->posts)
        (void)fclose(sim->posts);
    sim->posts = fopen(path, "we");
    if (!sim->posts)
        die(path);
}

static void play(struct sim *sim)
{
    for (sim->trigger = 0; sim->trigger < sim->triggers; sim->trigger++) {
        sim->now_ns = (int64_t)(sim->start_s + sim->trigger * sim->period_s) * NS_PER_S;
        const struct presence_time now = { sim->now_ns, sim->now_ns };
        posts_open(sim);
        read_trigger(sim);
        for (uint64_t i = 0; i < sim->node_count; i++)
            state_node(sim, &sim->nodes[i]);
        presence_check(sim->presence, &now, on_presence, sim);
        act(sim);
    }
}

static void sim_open(struct sim *sim, uint64_t nodes_max)
{
    const struct presence_opts presence = { .hosts_max = sim->node_count,
                                            .silent_after_ns = 60 * NS_PER_S,
                                            .check_every_ns =
                                                (int64_t)sim->period_s * NS_PER_S };
    char path[512];
    sim->act = (struct act_rules){ .drains = 1U << RESOURCE_DOWN,
                                   .drain_after_ns = 60 * NS_PER_S,
                                   .resume_after_ns = 600 * NS_PER_S,
                                   .nodes_max = nodes_max,
                                   .percent_max = 100 };
    sim->nodes = calloc(sim->node_count, sizeof *sim->nodes);
    sim->hosts = calloc(sim->node_count, sizeof *sim->hosts);
    sim->verbs = calloc(sim->node_count, sizeof *sim->verbs);
    if (!sim->nodes || !sim->hosts || !sim->verbs ||
        resource_table_new(&sim->rules, &sim->table, NULL) < 0 ||
        resource_table_load(sim->table, NULL, 0, 1) < 0 ||
        presence_new(&presence, &sim->presence) < 0)
        die("out of memory");
    for (uint64_t i = 0; i < sim->node_count; i++) {
        struct sim_node *node = &sim->nodes[i];
        (void)snprintf(node->name, sizeof node->name, "n%05llu",
                       (unsigned long long)i + 1);
        node->dimm = -1;
        node->slurm =
            (struct scheduler_node){ .name = node->name, .reason = node->slurm_reason };
        if (resource_checks_new(CLUSTER, node->name, &node->checks) < 0)
            die("out of memory");
    }
    (void)snprintf(path, sizeof path, "%s/posts", sim->directory);
    (void)mkdir(path, 0755);
    (void)snprintf(path, sizeof path, "%s/actions.txt", sim->directory);
    sim->actions = fopen(path, "we");
    if (!sim->actions)
        die(path);
}

static void sim_close(struct sim *sim)
{
    for (uint64_t i = 0; i < sim->node_count; i++)
        resource_checks_free(sim->nodes[i].checks);
    free(sim->nodes);
    free(sim->hosts);
    free(sim->verbs);
    resource_table_free(sim->table);
    presence_free(sim->presence);
    if (sim->posts)
        (void)fclose(sim->posts);
    if (fclose(sim->actions) != 0)
        die("actions.txt is not written");
}

int main(int argc, char **argv)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct sim sim = { 0 };
    struct err err = { 0 };
    char path[512];
    if (argc < 2 || argc > 3)
        die("usage: baro-sim-fleet DIR [nodes-max]");
    sim.directory = argv[1];
    (void)snprintf(path, sizeof path, "%s/plan.txt", sim.directory);
    if (file_read(path, (size_t)64 << 20, &text, &err) < 0)
        die(err.text);
    sim.plan = strbuf_span(&text);
    read_head(&sim);
    sim_open(&sim, argc == 3 ? number_of(span_of(argv[2])) : 20);
    play(&sim);
    sim_close(&sim);
    return 0;
}
