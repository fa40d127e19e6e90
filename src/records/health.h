/* SPDX-License-Identifier: Apache-2.0 */
/* health - how the database is, as the writer found it; any thread reads it.
 *
 *     begin   could a transaction be begun?       the last one, or the last probe
 *     write   could rows be stored in it?         until one was, again
 *     damage  it reported that it is malformed    for good
 */
#ifndef RECORDS_HEALTH_H
#define RECORDS_HEALTH_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/strbuf.h"

struct records_health;

int records_health_new(struct records_health **ret);
void records_health_free(struct records_health *health);
DEFINE_AUTO(struct records_health, records_health_free);

void records_health_set_begin(struct records_health *health, int rc, const char *text);
void records_health_set_write(struct records_health *health, int rc, const char *text);
/* The first one stays.  -EUCLEAN given to the others counts as this, too. */
void records_health_set_damage(struct records_health *health, const char *text);
bool records_health_is_damaged(struct records_health *health);
void records_health_set_news(struct records_health *health, uint64_t generation,
                             const char *news);

/* 0, or what is wrong. */
int records_health_check(struct records_health *health, struct err *err);
/* How often it was another database; news: what was found the last time. */
uint64_t records_health_news(struct records_health *health, struct strbuf *news);

#endif
