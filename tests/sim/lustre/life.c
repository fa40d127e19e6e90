/* SPDX-License-Identifier: Apache-2.0 */
/* life - from the creation of an entry on a server to its removal there. */
#include "life.h"

/* The first scan after t_ns: they come every half interval from a time of the
 * mount. */
static int64_t scan_after(const struct sim *sim, const struct sim_mount *mount,
                          int64_t t_ns)
{
    int64_t every_ns = sim->conf.cleanup_ns / 2;
    int64_t first_ns =
        mount->from_ns + (int64_t)(sim_mix((uint64_t)mount->from_ns, mount->server) %
                                   (uint64_t)every_ns);
    if (t_ns < first_ns)
        return first_ns;
    return first_ns + ((t_ns - first_ns) / every_ns + 1) * every_ns;
}

/* When an entry that was last busy at last_ns is gone, if nothing more happens.
 */
static int64_t removal(const struct sim *sim, const struct sim_mount *mount,
                       int64_t last_ns)
{
    if (sim->conf.cleanup_ns == 0)
        return SIM_FOREVER;
    return scan_after(sim, mount, last_ns + sim->conf.cleanup_ns);
}

/* Was the entry removed between event n and event n + 1? */
static bool is_border(const struct sim *sim, const struct sim_mount *mount,
                      const struct sim_series *s, uint64_t n)
{
    return removal(sim, mount, sim_series_event_time(s, n)) <=
           sim_series_event_time(s, n + 1);
}

bool sim_life_at(const struct sim *sim, const struct sim_target *target,
                 const struct sim_series *s, int64_t t_ns, struct sim_life *ret)
{
    const struct sim_mount *m = sim_mount_at(target, t_ns);
    if (!m)
        return false;
    uint64_t before = sim_series_events(s, m->from_ns);
    uint64_t count = sim_series_events(s, t_ns);
    if (count == before)
        return false;
    int64_t last_ns = sim_series_event_time(s, count);
    if (removal(sim, m, last_ns) <= t_ns)
        return false;
    uint64_t base = before;
    /* Only the pauses between bursts can be long enough for a removal. */
    if (sim->conf.cleanup_ns && s->period_ns + s->jitter_ns > sim->conf.cleanup_ns) {
        uint64_t b = (count - 1) / s->burst_events * s->burst_events;
        while (b > before && !is_border(sim, m, s, b))
            b -= b < s->burst_events ? b : s->burst_events;
        if (b > before)
            base = b;
    }
    *ret = (struct sim_life){ .mount = m,
                              .base = base,
                              .count = count,
                              .start_ns = sim_series_event_time(s, base + 1),
                              .last_ns = last_ns };
    return true;
}

/* The lives of one time of service, whose events are before+1 .. count. */
static int lives_of_mount(const struct sim *sim, const struct sim_mount *m,
                          const struct sim_series *s, uint64_t before, uint64_t count,
                          sim_life_fn *fn, void *arg)
{
    uint64_t base = before;
    while (base < count) {
        uint64_t end = (base / s->burst_events + 1) * s->burst_events;
        while (end < count && !is_border(sim, m, s, end))
            end += s->burst_events;
        if (end > count)
            end = count;
        struct sim_life life = { .mount = m,
                                 .base = base,
                                 .count = end,
                                 .start_ns = sim_series_event_time(s, base + 1),
                                 .last_ns = sim_series_event_time(s, end) };
        int rc = fn(arg, s, &life);
        if (rc < 0)
            return rc;
        base = end;
    }
    return 0;
}

int sim_lives_each(const struct sim *sim, const struct sim_target *target,
                   const struct sim_series *s, int64_t until_ns, sim_life_fn *fn,
                   void *arg)
{
    for (size_t i = 0; i < target->mount_count; i++) {
        const struct sim_mount *m = &target->mounts[i];
        if (m->from_ns > until_ns)
            continue;
        int64_t to_ns = m->to_ns <= until_ns ? m->to_ns - 1 : until_ns;
        int rc = lives_of_mount(sim, m, s, sim_series_events(s, m->from_ns),
                                sim_series_events(s, to_ns), fn, arg);
        if (rc < 0)
            return rc;
    }
    return 0;
}
