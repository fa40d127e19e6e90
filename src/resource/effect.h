/* SPDX-License-Identifier: Apache-2.0 */
/* effect - the one function that makes the health of a component out of what is stated.
 *
 *     statements of its sources ─▶ the decisive one ─┐
 *     its parts, by the rule of their type ──────────┼─▶ the worst: its health
 *     the enclosure it is in, by its rule ───────────┘
 *
 * 1. What an administrator drained is drained until resumed, whatever else is stated.
 * 2. Else the worst that administrators and systems state: down, degraded, unknown, up.
 *    Where nothing is stated it is unknown.
 * 3. An opinion of a user changes nothing.  It is confirmed where a system states as
 *    bad or worse.
 * 4. A part that is degraded, down or drained makes its whole degraded, a part that is
 *    down what the rule of its type states; one that is unknown makes nothing.
 * 5. An enclosure that is drained makes its members drained, one that is down what its
 *    rule states; else nothing.
 * 6. Down and drained components are not to be used.  Unknown is no reason for that.
 *
 * Threads  any: pure functions.
 */
#ifndef RESOURCE_EFFECT_H
#define RESOURCE_EFFECT_H

#include "model/model.h"

/* What a BMC states of its host: seen from outside, so that of several unknown ones it
 * goes first.  presence knows that a host is silent, this may know why. */
#define RESOURCE_SOURCE_BMC "system:bmc"

/* Is a worse than b, or as bad and so since before it?  Of unknown ones that of the BMC
 * goes before others. */
bool resource_is_worse(const struct resource_statement *a,
                       const struct resource_statement *b);
bool resource_is_opinion(const struct resource_statement *statement);
/* Index of the statement that decides (of equal ones the earliest); -1: none does. */
int resource_decide(const struct resource_statement *statements, size_t count);
/* Does a system or an administrator state as bad as this opinion, or worse? */
bool resource_is_confirmed(const struct resource_statement *opinion,
                           const struct resource_statement *statements, size_t count);
/* What a part makes of its whole; down: what the rule states of a part that is down. */
enum resource_health resource_of_part(enum resource_health part,
                                      enum resource_health down);
/* What an enclosure makes of its members. */
enum resource_health resource_of_enclosure(enum resource_health enclosure,
                                           enum resource_health down);
bool resource_is_usable(enum resource_health health);

#endif
