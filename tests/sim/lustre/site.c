/* SPDX-License-Identifier: Apache-2.0 */
/* site - the simulated file system: servers, targets, who serves what when. */
#include "site.h"

#include "plant.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#define CONF_BYTES_MAX (4u << 20)

uint64_t sim_mix(uint64_t a, uint64_t b)
{
    /* splitmix64's finaliser over both. */
    uint64_t x = a + UINT64_C(0x9E3779B97F4A7C15) * (b + 1);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* ---- sim.conf ---- */

enum conf_type { CONF_TEXT, CONF_COUNT, CONF_NS };

#define COUNT(name)                                           \
    {                                                         \
#name, CONF_COUNT, offsetof(struct sim_conf, name), 0 \
    }
#define NS(name, field)                                    \
    {                                                      \
        name, CONF_NS, offsetof(struct sim_conf, field), 0 \
    }
#define TEXT(name)                                         \
    {                                                      \
#name, CONF_TEXT, offsetof(struct sim_conf, name), \
            sizeof((struct sim_conf *)0)->name             \
    }

static const struct {
    const char *name;
    enum conf_type type;
    size_t offset, size;
} conf_keys[] = {
    TEXT(fsname),
    TEXT(version),
    COUNT(seed),
    COUNT(mdts),
    COUNT(osts),
    COUNT(mds),
    COUNT(oss),
    COUNT(nodes),
    COUNT(users),
    COUNT(logins),
    COUNT(busy_percent),
    COUNT(rate_percent),
    COUNT(skip_ppm),
    COUNT(double_ppm),
    COUNT(malformed_ppm),
    COUNT(odd_ids),
    NS("epoch", epoch_ns),
    NS("cleanup", cleanup_ns),
    NS("job_min", job_min_ns),
    NS("job_max", job_max_ns),
};

void sim_conf_default(struct sim_conf *conf)
{
    *conf = (struct sim_conf){
        .fsname = "scratch",
        .version = "2.12",
        .seed = 1,
        .mdts = 4,
        .osts = 24,
        .mds = 2,
        .oss = 8,
        .nodes = 2000,
        .users = 150,
        .logins = 120,
        .busy_percent = 90,
        .rate_percent = 100,
        .skip_ppm = 200,
        .double_ppm = 200,
        .malformed_ppm = 20000,
        .epoch_ns = INT64_C(1669010400) * NS_PER_S,
        .cleanup_ns = 600 * NS_PER_S,
        .job_min_ns = 1500 * NS_PER_S,
        .job_max_ns = 9000 * NS_PER_S,
    };
}

/* "@1669010520", "@1669010520.25" or a duration ("10m"). */
static int parse_ns(struct span s, int64_t *ret)
{
    if (s.size && s.data[0] == '@')
        return number_parse_seconds(span_skip(s, 1), ret);
    return number_parse_duration(s, ret);
}

int sim_conf_set(struct sim_conf *conf, const char *key, const char *value,
                 struct err *err)
{
    for (size_t i = 0; i < COUNT_OF(conf_keys); i++) {
        if (strcmp(conf_keys[i].name, key) != 0)
            continue;
        void *field = (char *)conf + conf_keys[i].offset;
        int rc = 0;
        if (conf_keys[i].type == CONF_COUNT)
            rc = number_parse_u64(span_of(value), field);
        else if (conf_keys[i].type == CONF_NS)
            rc = parse_ns(span_of(value), field);
        else if (strlen(value) >= conf_keys[i].size)
            rc = -ERANGE;
        else
            memcpy(field, value, strlen(value) + 1);
        return rc < 0 ? err_set(err, EINVAL, "%s: '%s' is no value", key, value) : 0;
    }
    return err_set(err, EINVAL, "'%s' is not a setting of the simulation", key);
}

int sim_conf_write(const struct sim_conf *conf, const char *dir, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < COUNT_OF(conf_keys); i++) {
        const void *field = (const char *)conf + conf_keys[i].offset;
        strbuf_addf(&text, "%s ", conf_keys[i].name);
        if (conf_keys[i].type == CONF_TEXT)
            strbuf_adds(&text, field);
        else if (conf_keys[i].type == CONF_COUNT)
            strbuf_add_u64(&text, *(const uint64_t *)field);
        else
            strbuf_addf(&text, "@%" PRId64 ".%09" PRId64,
                        *(const int64_t *)field / NS_PER_S,
                        *(const int64_t *)field % NS_PER_S);
        strbuf_addc(&text, '\n');
    }
    if (strbuf_error(&text))
        return -ENOMEM;
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/sim.conf", dir);
    return file_replace(path, text.data, text.size, 0644, err);
}

static int conf_read(struct sim *sim, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char path[PATH_MAX + 16];
    (void)snprintf(path, sizeof path, "%s/sim.conf", sim->dir);
    int rc = file_read(path, CONF_BYTES_MAX, &text, err);
    if (rc < 0)
        return rc;
    struct span rest = strbuf_span(&text), line, key;
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        (void)span_cut(&line, ' ', &key);
        AUTO_FREE char *k = span_dup(key);
        AUTO_FREE char *v = span_dup(line);
        if (!k || !v)
            return -ENOMEM;
        rc = *k ? sim_conf_set(&sim->conf, k, v, err) : 0;
        if (rc < 0)
            return err_prefix(err, rc, "%s", path);
    }
    return 0;
}

/* ---- servers, targets, groups of nodes ---- */

static int build_targets(struct sim *sim, const struct sim_version *version)
{
    const struct sim_conf *c = &sim->conf;
    sim->server_count = c->mds + c->oss;
    sim->servers = calloc(sim->server_count, sizeof sim->servers[0]);
    sim->target_count = c->mdts + c->osts;
    sim->targets = calloc(sim->target_count, sizeof sim->targets[0]);
    if (!sim->servers || !sim->targets)
        return -ENOMEM;
    for (size_t i = 0; i < sim->server_count; i++)
        (void)snprintf(sim->servers[i], SIM_NAME_SIZE, "%s%02zu",
                       i < c->mds ? "mds" : "oss", i < c->mds ? i + 1 : i - c->mds + 1);
    for (size_t i = 0; i < sim->target_count; i++) {
        struct sim_target *t = &sim->targets[i];
        t->kind = i < c->mdts ? SIM_MDT : SIM_OST;
        t->index = (unsigned)(t->kind == SIM_MDT ? i : i - c->mdts);
        (void)snprintf(t->name, sizeof t->name, "%s-%s%04x", c->fsname,
                       t->kind == SIM_MDT ? "MDT" : "OST", t->index);
        t->mounts = calloc(1, sizeof *t->mounts);
        if (!t->mounts)
            return -ENOMEM;
        t->mount_count = 1;
        t->mounts[0] = (struct sim_mount){
            .server = t->kind == SIM_MDT ? t->index * c->mds / c->mdts
                                         : c->mds + t->index * c->oss / c->osts,
            .version = version,
            .from_ns = c->epoch_ns,
            .to_ns = SIM_FOREVER,
        };
    }
    return 0;
}

/* Jobs of 1, 2, 4, ... 32 nodes side by side, until the nodes are given away.
 */
static int build_groups(struct sim *sim)
{
    const struct sim_conf *c = &sim->conf;
    sim->groups = calloc(c->nodes ? c->nodes : 1, sizeof sim->groups[0]);
    if (!sim->groups)
        return -ENOMEM;
    for (uint64_t node = 0; node < c->nodes;) {
        uint64_t h = sim_mix(c->seed, sim->group_count * 4);
        struct sim_group *g = &sim->groups[sim->group_count++];
        g->first_node = node;
        g->node_count = UINT64_C(1) << h % 6;
        if (g->node_count > c->nodes - node)
            g->node_count = c->nodes - node;
        int64_t span_ns = c->job_max_ns - c->job_min_ns + 1;
        g->slot_ns = c->job_min_ns + (int64_t)(sim_mix(h, 1) % (uint64_t)span_ns);
        g->phase_ns = (int64_t)(sim_mix(h, 2) % (uint64_t)g->slot_ns);
        node += g->node_count;
    }
    return 0;
}

static int conf_check(const struct sim_conf *c, struct err *err)
{
    if (!c->mdts || !c->mds || !c->osts || !c->oss || c->mdts + c->osts > 20000 ||
        c->mds + c->oss > 2000 || c->nodes > 10000000)
        return err_set(err, EINVAL, "a file system needs servers and targets");
    if (c->job_min_ns < 60 * NS_PER_S || c->job_max_ns < c->job_min_ns ||
        c->job_min_ns < 2 * c->cleanup_ns)
        return err_set(err, EINVAL,
                       "job_min is at least 60s and twice the cleanup interval");
    if (!c->rate_percent || c->rate_percent > 10000 || !c->users)
        return err_set(err, EINVAL, "rate_percent is 1..10000, users at least 1");
    return 0;
}

/* ---- events ---- */

struct event {
    int64_t t_ns, gap_ns;
    size_t order;
    int target; /* -1: an upgrade */
    size_t server;
    const struct sim_version *version;
};

static int event_compare(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->t_ns != y->t_ns)
        return x->t_ns < y->t_ns ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* "move TARGET SERVER @T GAP" or "upgrade SERVER VERSION @T GAP". */
static int event_parse(const struct sim *sim, struct span line, struct event *ret)
{
    struct span f[5];
    for (size_t i = 0; i < 5; i++)
        (void)span_cut(&line, ' ', &f[i]);
    AUTO_FREE char *a = span_dup(f[1]);
    AUTO_FREE char *b = span_dup(f[2]);
    if (!a || !b)
        return -ENOMEM;
    bool is_move = span_is(f[0], "move");
    int target = is_move ? sim_find_target(sim, a) : -1;
    int server = sim_find_server(sim, is_move ? b : a);
    const struct sim_version *v = is_move ? NULL : sim_version_find(b);
    if ((!is_move && !span_is(f[0], "upgrade")) || server < 0 ||
        (is_move ? target < 0 : !v) || parse_ns(f[3], &ret->t_ns) < 0 ||
        parse_ns(f[4], &ret->gap_ns) < 0)
        return -EINVAL;
    ret->target = target;
    ret->server = (size_t)server;
    ret->version = v;
    return 0;
}

static int mount_add(struct sim_target *t, size_t server,
                     const struct sim_version *version, const struct event *e)
{
    struct sim_mount *grown =
        realloc(t->mounts, (t->mount_count + 1) * sizeof *t->mounts);
    if (!grown)
        return -ENOMEM;
    t->mounts = grown;
    struct sim_mount *last = &t->mounts[t->mount_count - 1];
    if (e->t_ns <= last->from_ns)
        return 0; /* it was not even mounted yet: nothing to move */
    last->to_ns = e->t_ns;
    t->mounts[t->mount_count++] = (struct sim_mount){
        .server = server,
        .version = version,
        .from_ns = e->t_ns + e->gap_ns,
        .to_ns = SIM_FOREVER,
    };
    return 0;
}

static int event_apply(struct sim *sim, const struct event *e,
                       const struct sim_version **now)
{
    if (e->target >= 0)
        return mount_add(&sim->targets[e->target], e->server, now[e->server], e);
    now[e->server] = e->version;
    for (size_t i = 0; i < sim->target_count; i++) {
        struct sim_target *t = &sim->targets[i];
        if (t->mounts[t->mount_count - 1].server != e->server)
            continue;
        int rc = mount_add(t, e->server, e->version, e);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int events_read(struct sim *sim, const struct sim_version *first,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char path[PATH_MAX + 16];
    (void)snprintf(path, sizeof path, "%s/events", sim->dir);
    int rc = file_read(path, CONF_BYTES_MAX, &text, err);
    if (rc == -ENOENT)
        return 0;
    if (rc < 0)
        return rc;
    AUTO_FREE struct event *events = calloc(text.size / 8 + 1, sizeof *events);
    AUTO_FREE const struct sim_version **now = calloc(sim->server_count, sizeof *now);
    sim->plants = calloc(text.size / 8 + 1, sizeof *sim->plants);
    if (!events || !now || !sim->plants)
        return -ENOMEM;
    size_t count = 0;
    struct span rest = strbuf_span(&text), line;
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        if (line.size == 0)
            continue;
        events[count].order = count;
        rc = span_starts(line, "plant ")
                 ? sim_plant_parse(line, &sim->plants[sim->plant_count++])
                 : event_parse(sim, line, &events[count++]);
        if (rc < 0)
            return err_set(err, EINVAL, "%s: '" SPAN_FMT "'", path, SPAN_ARG(line));
    }
    qsort(events, count, sizeof *events, event_compare);
    for (size_t i = 0; i < sim->server_count; i++)
        now[i] = first;
    for (size_t i = 0; i < count; i++) {
        rc = event_apply(sim, &events[i], now);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int sim_add_event(const char *dir, const char *line, struct err *err)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/events", dir);
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    return file_write_all(fd, line, strlen(line));
}

/* ---- opening and looking up ---- */

int sim_open(const char *dir, struct sim **ret, struct err *err)
{
    AUTO(sim_free) struct sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        return -ENOMEM;
    if (strlen(dir) >= sizeof sim->dir)
        return err_set(err, ENAMETOOLONG, "'%s' is too long", dir);
    memcpy(sim->dir, dir, strlen(dir) + 1);
    sim_conf_default(&sim->conf);
    int rc = conf_read(sim, err);
    if (rc == 0)
        rc = conf_check(&sim->conf, err);
    if (rc < 0)
        return rc;
    const struct sim_version *v = sim_version_find(sim->conf.version);
    if (!v)
        return err_set(err, EINVAL, "version '%s' is not known", sim->conf.version);
    rc = build_targets(sim, v);
    if (rc == 0)
        rc = build_groups(sim);
    if (rc == 0)
        rc = events_read(sim, v, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(sim);
    return 0;
}

void sim_free(struct sim *sim)
{
    if (!sim)
        return;
    for (size_t i = 0; sim->targets && i < sim->target_count; i++)
        free(sim->targets[i].mounts);
    free(sim->targets);
    free(sim->servers);
    free(sim->groups);
    free(sim->plants);
    free(sim);
}

int sim_find_server(const struct sim *sim, const char *name)
{
    for (size_t i = 0; i < sim->server_count; i++)
        if (strcmp(sim->servers[i], name) == 0)
            return (int)i;
    return -ENOENT;
}

int sim_find_target(const struct sim *sim, const char *name)
{
    for (size_t i = 0; i < sim->target_count; i++)
        if (strcmp(sim->targets[i].name, name) == 0)
            return (int)i;
    return -ENOENT;
}

const struct sim_mount *sim_mount_at(const struct sim_target *target, int64_t t_ns)
{
    for (size_t i = 0; i < target->mount_count; i++)
        if (t_ns >= target->mounts[i].from_ns && t_ns < target->mounts[i].to_ns)
            return &target->mounts[i];
    return NULL;
}
