/* SPDX-License-Identifier: Apache-2.0 */
/* failover - which servers have more or fewer OSTs than is usual. */
#include "source/health/failover.h"

#include "base/span.h"

#include <stdlib.h>

void health_failover_done(struct health_failover *failover)
{
    free(failover->servers);
    *failover = (struct health_failover){ 0 };
}

static bool is_served(const struct health_target *t, struct span fs)
{
    return t->parts.kind == TARGET_OST && (t->has & HEALTH_SERVER) &&
           !(t->has & HEALTH_SERVER_INACTIVE) && span_eq(t->parts.fs, fs);
}

/* Fill servers, which has room for every target, and the counts. */
static int count_servers(const struct health_sample *sample, struct span fs,
                         struct health_failover *f)
{
    AUTO(hashmap_done) struct hashmap map = HASHMAP_INIT;
    for (size_t i = 0; i < sample->count; i++) {
        const struct health_target *t = &sample->targets[i];
        if (!is_served(t, fs))
            continue;
        bool is_new;
        uintptr_t *at = hashmap_put(&map, t->server, &is_new);
        if (!at)
            return -ENOMEM;
        if (is_new) {
            *at = f->server_count;
            f->servers[f->server_count++] = (struct health_server){ .nid = t->server };
        }
        f->servers[*at].target_count++;
        if (f->target_count == 0 || t->server_t_ns < f->t_ns)
            f->t_ns = t->server_t_ns;
        f->target_count++;
    }
    return 0;
}

static int find_mode(const struct health_failover *f, size_t *ret)
{
    size_t best = 0;
    AUTO_FREE size_t *having = calloc(f->target_count + 1, sizeof *having);
    if (!having)
        return -ENOMEM;
    for (size_t i = 0; i < f->server_count; i++)
        having[f->servers[i].target_count]++;
    for (size_t n = 1; n <= f->target_count; n++)
        if (having[n] > having[best])
            best = n;
    *ret = best;
    return 0;
}

static void judge(struct health_failover *f)
{
    for (size_t i = 0; i < f->server_count; i++) {
        struct health_server *s = &f->servers[i];
        if (s->target_count > f->mode) {
            s->load = HEALTH_LOAD_ABOVE;
            f->above_servers++;
            f->above_targets += s->target_count;
        } else if (s->target_count < f->mode) {
            s->load = HEALTH_LOAD_BELOW;
            f->below_servers++;
            f->below_targets += s->target_count;
        }
    }
    f->overload_factor = 1;
    if (f->above_servers > 0) {
        f->above_mean = (double)f->above_targets / (double)f->above_servers;
        f->overload_factor = f->above_mean / (double)f->mode;
    }
}

int health_failover(const struct health_sample *sample, struct span fs,
                    struct health_failover *ret)
{
    AUTO(health_failover_done) struct health_failover f = { 0 };
    f.servers = calloc(sample->count + 1, sizeof *f.servers);
    if (!f.servers || count_servers(sample, fs, &f) < 0)
        return -ENOMEM;
    if (f.server_count == 0)
        return -ENOENT;
    if (find_mode(&f, &f.mode) < 0)
        return -ENOMEM;
    judge(&f);
    *ret = f;
    f.servers = NULL;
    return 0;
}
