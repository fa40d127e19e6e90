/* SPDX-License-Identifier: Apache-2.0 */
/* spares - which ranks of a session work, and which wait to replace one of them.
 *
 *     spare ── replaces ──▶ working ── lost or condemned, and replaced ──┐
 *       ▲                                                                │
 *       └──────── online again, and well ────────────────────────────────┘
 *
 * A working rank that no spare replaces stays one: it works on as soon as it can.
 * Threads  one at a time.
 */
#ifndef JOBSESSION_SPARES_H
#define JOBSESSION_SPARES_H

#include "session/session.h"

struct spares;

/* Of ranks 1..ranks the last idle_count are spares; none is online.
 * Errors: -EINVAL (none would work), -ENOMEM. */
int spares_new(uint32_t ranks, uint32_t idle_count, struct spares **ret);
void spares_free(struct spares *spares); /* NULL is fine */
DEFINE_AUTO(struct spares, spares_free);

/* Ranks that are not 1..ranks are passed over. */
void spares_joined(struct spares *spares, uint32_t rank);
void spares_lost(struct spares *spares, uint32_t rank);
/* Ranks that have not joined by now count as lost. */
void spares_begin(struct spares *spares);
/* reason: why it must not work; NULL: it may again.  Errors: -ENOMEM. */
int spares_condemn(struct spares *spares, uint32_t rank, const char *reason);

struct replacement {
    uint32_t lost, successor; /* 0: there is none left */
    const char *reason;       /* valid until the next change */
};

/* true: the next that is due has happened: the spare works, the lost one is a spare. Or
 * there is no spare for a rank; that comes once, until there was one again, and not
 * before spares_begin(): until then one may join.  Lost ranks are before condemned. */
bool spares_replace(struct spares *spares, struct replacement *ret);
/* A spare could replace a rank now. */
bool spares_are_due(const struct spares *spares);

/* Who does not sample.  Errors: -ENOMEM. */
int spares_idle(const struct spares *spares, struct rank_set *ret);

struct spares_counts {
    uint32_t waiting;  /* spares that could replace one now */
    uint64_t replaced; /* so often one did */
};
void spares_count(const struct spares *spares, struct spares_counts *ret);

#endif
