/* SPDX-License-Identifier: Apache-2.0 */
/* dump - what stands in one target's job_stats at one time, in the kernel's
 * order. */
#include "dump.h"

#include "base/number.h"

#include <string.h>

/* A doubled entry is read again this much later: it may have counted on. */
#define DOUBLED_LATER_NS (15 * NS_PER_MS)

struct taking {
    const struct sim *sim;
    const struct sim_target *target;
    int64_t t_ns;
    struct sim_dump *dump;
};

static int add_item(struct sim_dump *dump, const struct sim_series *s,
                    const struct sim_life *life)
{
    if (dump->count == dump->capacity) {
        size_t capacity = dump->capacity ? dump->capacity * 2 : 256;
        struct sim_item *grown = realloc(dump->items, capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        dump->items = grown;
        dump->capacity = capacity;
    }
    dump->items[dump->count++] = (struct sim_item){ *s, *life };
    return 0;
}

static int take_one(void *arg, const struct sim_series *s)
{
    struct taking *t = arg;
    struct sim_life life;
    if (!sim_life_at(t->sim, t->target, s, t->t_ns, &life))
        return 0;
    if (life.mount->version->is_tree)
        return add_item(t->dump, s, &life);
    uint64_t chance = sim_mix(s->seed, (uint64_t)t->t_ns);
    if (chance % 1000000 < t->sim->conf.skip_ppm) {
        t->dump->skipped++;
        return 0;
    }
    int rc = add_item(t->dump, s, &life);
    if (rc < 0 || (chance >> 32) % 1000000 >= t->sim->conf.double_ppm)
        return rc;
    struct sim_life later;
    if (!sim_life_at(t->sim, t->target, s, t->t_ns + DOUBLED_LATER_NS, &later) ||
        later.mount != life.mount || later.base != life.base)
        later = life;
    t->dump->doubled++;
    return add_item(t->dump, s, &later);
}

static int compare_ids(const struct sim_item *x, const struct sim_item *y)
{
    size_t n =
        x->series.id_size < y->series.id_size ? x->series.id_size : y->series.id_size;
    int order = memcmp(x->series.id, y->series.id, n);
    return order ? order : (int)x->series.id_size - (int)y->series.id_size;
}

static int compare_age(const void *a, const void *b)
{
    const struct sim_item *x = a, *y = b;
    if (x->life.start_ns != y->life.start_ns)
        return x->life.start_ns < y->life.start_ns ? -1 : 1;
    int order = compare_ids(x, y);
    if (order)
        return order;
    return x->life.count < y->life.count ? -1 : x->life.count > y->life.count;
}

static int compare_tree(const void *a, const void *b)
{
    return compare_ids(a, b);
}

int sim_dump_take(const struct sim *sim, const struct sim_target *target, int64_t t_ns,
                  struct sim_dump *ret)
{
    const struct sim_mount *mount = sim_mount_at(target, t_ns);
    if (!mount)
        return -ENOENT;
    struct sim_dump dump = { 0 };
    struct taking t = { sim, target, t_ns, &dump };
    int rc = sim_series_each(sim, target, t_ns, t_ns + DOUBLED_LATER_NS, take_one, &t);
    if (rc < 0) {
        sim_dump_done(&dump);
        return rc;
    }
    if (dump.count)
        qsort(dump.items, dump.count, sizeof dump.items[0],
              mount->version->is_tree ? compare_tree : compare_age);
    *ret = dump;
    return 0;
}

void sim_dump_done(struct sim_dump *dump)
{
    free(dump->items);
    *dump = (struct sim_dump){ 0 };
}

void sim_dump_print(struct strbuf *out, const struct sim *sim,
                    const struct sim_mount *mount, const struct sim_dump *dump)
{
    if (dump->count == 0 && mount->version->is_tree)
        return; /* 2.17 says nothing at all */
    strbuf_adds(out, "job_stats:\n");
    for (size_t i = 0; i < dump->count; i++)
        sim_print_entry(out, sim, &dump->items[i].series, &dump->items[i].life);
}
