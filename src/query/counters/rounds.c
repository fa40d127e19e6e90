/* SPDX-License-Identifier: Apache-2.0 */
/* rounds - when each server was read last, and the window in which all of them were. */
#include "query/counters/rounds.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "query/counters/increment.h"

#include <stdlib.h>

/* A server that was not read for so many of its rounds does not hold the others back.
 */
#define LATE_ROUNDS 2
/* Rows of one round arrive target by target: for so long more may come. */
#define ARRIVAL_MS INT64_C(10000)
/* A longer round is that of an agent that was away. */
#define ROUND_MAX_MS INT64_C(1800000)
/* What was not heard of for longer is no server any more. */
#define GONE_MS INT64_C(86400000)
#define LATE_SHOWN_MAX 5

/* ---- one server ---- */

void round_note(struct round *round, int64_t since_ms, int64_t t_ms)
{
    if (since_ms == T_NONE || since_ms >= t_ms)
        return;
    int64_t half_ms = (t_ms - since_ms) / 2;
    if (round->t_ms == 0) {
        *round = (struct round){ since_ms, t_ms, since_ms };
        return;
    }
    if (since_ms < round->begin_ms)
        round->begin_ms = since_ms;
    if (t_ms - half_ms >= round->t_ms) {
        round->from_ms = since_ms;
        round->t_ms = t_ms;
        return;
    }
    if (round->t_ms - t_ms > half_ms)
        return; /* of a round before */
    if (t_ms < round->t_ms)
        round->t_ms = t_ms;
    /* A target that lost rounds is not what the others' distance is measured by. */
    int64_t jitter_ms = (round->t_ms - round->from_ms) / 2;
    if (since_ms > round->from_ms + jitter_ms ||
        (since_ms < round->from_ms && round->from_ms - since_ms <= jitter_ms))
        round->from_ms = since_ms;
}

void round_note_row(struct round *round, const struct jobrow *row)
{
    if (!increment_is_zero_record(row))
        round_note(round, row->since_ms, row->t_ms);
}

/* ---- all servers ---- */

void rounds_done(struct rounds *rounds)
{
    for (size_t i = 0; i < rounds->count; i++)
        free(rounds->list[i].name);
    free(rounds->list);
    hashmap_done(&rounds->by_name);
}

static struct rounds_server *rounds_server_new(struct rounds *rounds, struct span name)
{
    if (rounds->count == rounds->capacity) {
        size_t capacity = rounds->capacity ? rounds->capacity * 2 : 64;
        struct rounds_server *grown =
            realloc(rounds->list, capacity * sizeof *rounds->list);
        if (!grown)
            return NULL;
        rounds->list = grown;
        rounds->capacity = capacity;
    }
    struct rounds_server *server = &rounds->list[rounds->count];
    *server = (struct rounds_server){ .name = span_dup(name) };
    uintptr_t *index = server->name ? hashmap_put(&rounds->by_name, name, NULL) : NULL;
    if (!index) {
        free(server->name);
        return NULL;
    }
    *index = rounds->count++;
    return server;
}

int rounds_add(struct rounds *rounds, struct span name, const struct round *round)
{
    if (round->t_ms == 0)
        return 0;
    const uintptr_t *index = hashmap_get(&rounds->by_name, name);
    struct rounds_server *server =
        index ? &rounds->list[*index] : rounds_server_new(rounds, name);
    if (!server)
        return -ENOMEM;
    round_note(&server->round, round->from_ms, round->t_ms);
    if (round->begin_ms < server->round.begin_ms)
        server->round.begin_ms = round->begin_ms;
    return 0;
}

static bool selects_server(const struct selection *sel,
                           const struct rounds_server *server)
{
    return !sel->server.data || span_eq(sel->server, span_of(server->name));
}

static int64_t length_of(const struct round *round)
{
    int64_t length_ms = round->t_ms - round->from_ms;
    return length_ms < ROUND_MAX_MS ? length_ms : ROUND_MAX_MS;
}

/* The newest round of which every row is there: the last one, or that before. */
static int64_t whole_ms(const struct rounds *rounds, const struct round *round,
                        int64_t now_ms)
{
    int64_t arrival_ms = (round->t_ms - round->from_ms) / 2;
    if (arrival_ms > ARRIVAL_MS)
        arrival_ms = ARRIVAL_MS;
    bool is_first = round->from_ms <= round->begin_ms;
    bool is_whole = rounds->is_whole || is_first || now_ms - round->t_ms >= arrival_ms;
    return is_whole ? round->t_ms : round->from_ms;
}

static int64_t newest_ms(const struct rounds *rounds, const struct selection *sel)
{
    int64_t newest = T_NONE;
    for (size_t i = 0; i < rounds->count; i++)
        if (selects_server(sel, &rounds->list[i]) &&
            rounds->list[i].round.t_ms > newest)
            newest = rounds->list[i].round.t_ms;
    return newest < sel->now_ms ? newest : sel->now_ms;
}

bool rounds_settle(struct rounds *rounds, struct selection *sel, int64_t steps)
{
    int64_t newest = newest_ms(rounds, sel);
    if (newest == T_NONE)
        return false;
    int64_t to_ms = sel->now_ms, length_ms = 1, begin_ms = newest;
    for (size_t i = 0; i < rounds->count; i++) {
        struct rounds_server *server = &rounds->list[i];
        const struct round *round = &server->round;
        server->is_late = newest - round->t_ms > LATE_ROUNDS * length_of(round) &&
                          newest - round->t_ms <= GONE_MS;
        if (!selects_server(sel, server) ||
            newest - round->t_ms > LATE_ROUNDS * length_of(round))
            continue;
        int64_t end_ms = whole_ms(rounds, round, sel->now_ms);
        to_ms = end_ms < to_ms ? end_ms : to_ms;
        length_ms = length_of(round) > length_ms ? length_of(round) : length_ms;
        begin_ms = round->begin_ms < begin_ms ? round->begin_ms : begin_ms;
    }
    if ((to_ms - begin_ms) / length_ms < steps)
        steps = (to_ms - begin_ms) / length_ms;
    sel->step_ms = sel->rated_ms = length_ms;
    sel->to_ms = to_ms;
    sel->from_ms = to_ms - length_ms * (steps > 0 ? steps : 1);
    return true;
}

void rounds_note_late(const struct rounds *rounds, struct table *table)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    char at[TIMETEXT_SIZE], every[FIGURE_SIZE];
    size_t count = 0;
    for (size_t i = 0; i < rounds->count; i++) {
        const struct rounds_server *server = &rounds->list[i];
        if (!server->is_late || ++count > LATE_SHOWN_MAX)
            continue;
        (void)timetext_print(at, server->round.t_ms * NS_PER_MS);
        figure_print_duration(every, sizeof every,
                              length_of(&server->round) * NS_PER_MS);
        strbuf_addf(&names, "%s%s since %s (every %s before)", count > 1 ? ", " : "",
                    server->name, at, every);
    }
    if (count > LATE_SHOWN_MAX)
        strbuf_addf(&names, ", and %zu other servers", count - LATE_SHOWN_MAX);
    if (count)
        table_add_note(table,
                       "no row came of %s: late, or nothing moved there; these rates "
                       "are without",
                       strbuf_text(&names));
}
