/* SPDX-License-Identifier: Apache-2.0 */
/* health - how the database is, as the writer found it. */
#include "records/health.h"

#include <pthread.h>

enum part { PART_DAMAGE, PART_BEGIN, PART_WRITE, _PART_COUNT };

struct records_health {
    pthread_mutex_t lock;
    struct {
        int rc;
        struct err err;
    } parts[_PART_COUNT];
    uint64_t generation;
    char news[512];
};

int records_health_new(struct records_health **ret)
{
    struct records_health *health = calloc(1, sizeof *health);
    if (!health)
        return -ENOMEM;
    (void)pthread_mutex_init(&health->lock, NULL);
    *ret = health;
    return 0;
}

void records_health_free(struct records_health *health)
{
    if (!health)
        return;
    (void)pthread_mutex_destroy(&health->lock);
    free(health);
}

static void part_set(struct records_health *health, enum part part, int rc,
                     const char *text)
{
    LOCKED(&health->lock);
    if (part == PART_DAMAGE && health->parts[part].rc < 0)
        return;
    health->parts[part].rc = rc;
    (void)err_set(&health->parts[part].err, -rc, "%s", text);
}

void records_health_set_damage(struct records_health *health, const char *text)
{
    part_set(health, PART_DAMAGE, -EUCLEAN, text);
}

void records_health_set_begin(struct records_health *health, int rc, const char *text)
{
    part_set(health, rc == -EUCLEAN ? PART_DAMAGE : PART_BEGIN, rc, text);
}

void records_health_set_write(struct records_health *health, int rc, const char *text)
{
    part_set(health, rc == -EUCLEAN ? PART_DAMAGE : PART_WRITE, rc, text);
}

bool records_health_is_damaged(struct records_health *health)
{
    LOCKED(&health->lock);
    return health->parts[PART_DAMAGE].rc < 0;
}

int records_health_check(struct records_health *health, struct err *err)
{
    LOCKED(&health->lock);
    for (int part = 0; part < _PART_COUNT; part++)
        if (health->parts[part].rc < 0)
            return err_set(err, -health->parts[part].rc, "%s",
                           health->parts[part].err.text);
    return 0;
}

void records_health_set_news(struct records_health *health, uint64_t generation,
                             const char *news)
{
    LOCKED(&health->lock);
    health->generation = generation;
    (void)snprintf(health->news, sizeof health->news, "%.511s", news);
}

uint64_t records_health_news(struct records_health *health, struct strbuf *news)
{
    LOCKED(&health->lock);
    if (news)
        strbuf_adds(news, health->news);
    return health->generation;
}
