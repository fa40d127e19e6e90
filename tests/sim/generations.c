/* SPDX-License-Identifier: Apache-2.0 */
/* baro-sim-generations - targets that are mounted anew, cleaned up, idle and at work by
 * chance, with single entries cleared by an administrator, on servers whose clock is
 * set back and forth, and whether what is answered holds the truth.
 *
 *     sequence of SEED ─▶ dumps of a release's form ─▶ observe ─▶ chain, increment
 *                    └─▶ truth                                   └─▶ at least, at most
 *
 * For each entry the truth lies in the interval, or the sequence fails.  Where nothing
 * was hidden (no mount between two looks, no entry that was idle for so long that it
 * may have been removed, nothing cleared) the interval has no width.  A cleared entry
 * of which no dump shows it is held to "at least" alone.
 */
#include "base/number.h"
#include "base/options.h"
#include "base/span.h"
#include "observe/observe.h"
#include "query/counters/chain.h"
#include "query/counters/increment.h"

#include <inttypes.h>
#include <string.h>

#define JOBS 6
#define ROUNDS 60
#define ROWS_MAX (4 * ROUNDS)
#define INTERVAL_MS INT64_C(120000)
#define CLEANUP_MS INT64_C(600000)
#define BEGIN_MS INT64_C(1669010520000)
/* An entry that does not come back is told of when it is forgotten. */
#define FORGOTTEN_MS (CLEANUP_MS + CLEANUP_MS / 2 + 4 * INTERVAL_MS)

/* What the releases print of times (doc/formats/jobstats-text.md). */
enum form {
    FORM_SNAPSHOT, /* up to 2.14: whole seconds of the last move */
    FORM_NO_TIMES, /* 2.15.0 and 2.15.1: since boot, not kept */
    FORM_STARTS,   /* 2.15.2 to 2.17 */
    FORM_COUNT,
};

struct args {
    uint64_t seeds, first;
    bool verbose;
};

struct played {
    char id[16];
    bool is_there;
    bool was_seen; /* at the last look */
    int64_t start_ms, moved_ms;
    int64_t moved_before_ms; /* when it was looked at last */
    int64_t created;         /* the order in the dump */
    uint64_t samples, bytes;
    uint64_t true_bytes;               /* all that was ever done */
    uint64_t seen_samples, seen_bytes; /* at the last look */
    bool was_cleared;                  /* by the administrator, since the last look */
    int64_t cleared_ms;                /* the last time */
    bool has_no_most; /* a clear of it cannot be known: its total has no upper end */
    bool was_hidden;  /* something of it may be hidden, by the players' own account */
    struct jobrow rows[ROWS_MAX];
    size_t row_count;
};

struct world {
    enum form form;
    uint64_t random;
    int64_t now_ms, created;
    struct played jobs[JOBS];
    uint64_t mounts, removals, leaps, clears;
    bool has_mounted; /* since the last look */
};

static uint64_t draw(struct world *w, uint64_t below)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (w->random >> 11) % below;
}

/* ---- the server ---- */

static void work(struct world *w, struct played *job)
{
    if (!job->is_there) {
        job->is_there = true;
        job->start_ms = w->now_ms;
        job->created = ++w->created;
        job->samples = job->bytes = 0;
        /* An earlier life may have been between the last look and the mount. */
        job->was_hidden |= w->has_mounted;
    }
    uint64_t bytes = 1 + draw(w, 64) * (draw(w, 3) ? 1 : 100);
    job->samples++;
    job->bytes += bytes;
    job->true_bytes += bytes;
    job->moved_ms = w->now_ms;
}

static void mount(struct world *w)
{
    w->mounts++;
    w->has_mounted = true;
    for (size_t i = 0; i < JOBS; i++) {
        /* Also what was removed just before: nobody can tell. */
        w->jobs[i].was_hidden |= w->jobs[i].is_there || w->jobs[i].was_seen;
        w->jobs[i].is_there = false;
    }
}

/* lctl set_param ...job_stats=ID: from now on much of the target is in doubt. */
static void clear_one(struct world *w)
{
    struct played *job = &w->jobs[draw(w, JOBS)];
    if (!job->is_there)
        return;
    w->clears++;
    job->is_there = false;
    job->was_cleared = true;
    job->cleared_ms = w->now_ms;
    job->has_no_most |= !job->was_seen;
    for (size_t i = 0; i < JOBS; i++)
        w->jobs[i].was_hidden = true;
}

static void clean_up(struct world *w)
{
    for (size_t i = 0; i < JOBS; i++) {
        struct played *job = &w->jobs[i];
        if (!job->is_there || w->now_ms - job->moved_ms <= CLEANUP_MS)
            continue;
        job->is_there = false;
        w->removals++;
    }
}

/* Two minutes of it, in steps of a second or so. */
static void live(struct world *w, int64_t until_ms, bool has_mount, uint64_t clears)
{
    int64_t mount_ms =
        has_mount ? w->now_ms + 3000 + (int64_t)draw(w, 100000) : INT64_MAX;
    unsigned busy = (unsigned)draw(w, 1 << JOBS);
    while (w->now_ms < until_ms) {
        w->now_ms += 500 + (int64_t)draw(w, 4000);
        if (w->now_ms >= mount_ms) {
            mount(w);
            mount_ms = INT64_MAX;
            w->now_ms += 2000;
        }
        if (draw(w, 10) == 0)
            clean_up(w);
        if (clears && draw(w, 20) == 0) {
            clears--;
            clear_one(w);
        }
        size_t i = (size_t)draw(w, JOBS);
        if (busy >> i & 1)
            work(w, &w->jobs[i]);
    }
}

/* Cleared, but no dump shows it: it has outgrown what it was, or had been idle for so
 * long that the server may have removed it, and worked before it was cleared. */
static bool is_clear_unseen(const struct world *w, const struct played *job)
{
    int64_t idle_ms = w->now_ms - job->moved_before_ms;
    if (w->form == FORM_NO_TIMES)
        idle_ms += INTERVAL_MS;
    if (idle_ms > CLEANUP_MS - 10000 || w->leaps > 0)
        return true;
    return w->form != FORM_STARTS && job->is_there &&
           job->samples >= job->seen_samples && job->bytes >= job->seen_bytes;
}

/* Moved again after so long, by what the text tells, that it may have been removed in
 * between: nobody can tell whether it was, if it has outgrown what it was. */
static void mark_hidden(struct world *w)
{
    for (size_t i = 0; i < JOBS; i++) {
        struct played *job = &w->jobs[i];
        int64_t moved_ms = w->form == FORM_SNAPSHOT ? job->moved_ms : w->now_ms;
        int64_t before_ms = job->moved_before_ms;
        if (w->form == FORM_NO_TIMES)
            before_ms -= INTERVAL_MS;
        job->was_hidden |= w->form != FORM_STARTS && job->moved_ms > before_ms &&
                           job->row_count && job->moved_ms != job->moved_before_ms &&
                           moved_ms - before_ms > CLEANUP_MS - 10000;
        job->has_no_most |= job->was_cleared && is_clear_unseen(w, job);
        job->was_cleared = false;
        job->moved_before_ms = job->moved_ms;
        job->was_seen = job->is_there;
        job->seen_samples = job->samples;
        job->seen_bytes = job->bytes;
    }
}

/* The server's clock is set, up to three hours back or forth.  Returns by how much. */
static int64_t leap(struct world *w)
{
    int64_t by_ms = (int64_t)draw(w, 6 * 3600000) - INT64_C(3) * 3600000;
    w->now_ms += by_ms;
    w->leaps++;
    for (size_t i = 0; i < JOBS; i++)
        w->jobs[i].was_hidden = true; /* what was idle for how long, nobody can say */
    return by_ms;
}

/* ---- the observer ---- */

static struct entry entry_of(const struct world *w, const struct played *job)
{
    struct entry entry = {
        .target = SPAN("scratch-OST0001"),
        .kind = TARGET_OST,
        .id = span_of(job->id),
        .snapshot_ns = job->moved_ms * NS_PER_MS,
        .start_ns = job->start_ms * NS_PER_MS,
        .elapsed_ns = T_NONE,
        .op_count = 1,
    };
    if (w->form == FORM_SNAPSHOT)
        entry.snapshot_ns = entry.snapshot_ns / NS_PER_S * NS_PER_S;
    if (w->form == FORM_NO_TIMES)
        entry.snapshot_ns = T_NONE;
    if (w->form != FORM_STARTS)
        entry.start_ns = T_NONE;
    entry.ops[0] = (struct op_stat){
        .name = SPAN("write_bytes"),
        .unit_text = SPAN("bytes"),
        .unit = OP_UNIT_BYTES,
        .has = OP_HAS_SAMPLES | OP_HAS_SUM,
        .samples = job->samples,
        .sum = job->bytes,
    };
    return entry;
}

static int take_row(void *arg, const struct entry *entry,
                    const struct observation *seen)
{
    struct world *w = arg;
    struct played *job = &w->jobs[entry->id.data[3] - '0'];
    for (size_t i = 0; i < job->row_count; i++)
        if (job->rows[i].t_ms == seen->t_ms)
            return 0; /* the first write of a key wins */
    if (job->row_count == ROWS_MAX)
        return -ENOSPC;
    struct jobrow *row = &job->rows[job->row_count++];
    *row = (struct jobrow){
        .target = SPAN("scratch-OST0001"),
        .kind = TARGET_OST,
        .entry_id = span_of(job->id),
        .server = SPAN("oss01"),
        .t_ms = seen->t_ms,
        .since_ms = seen->since_ms,
        .previous_ms = seen->previous_ms,
        .reset = seen->is_doubtful ? RESET_UNKNOWN
                 : seen->reset     ? RESET_YES
                                   : RESET_NO,
        .snapshot_ns = seen->is_zero ? T_NONE : seen->t_ms * NS_PER_MS,
        .start_ns = entry->start_ns,
    };
    row->has_samples = row->has_sum = UINT64_C(1) << OP_WRITE_BYTES;
    row->samples[OP_WRITE_BYTES] = seen->is_zero ? 0 : entry->ops[0].samples;
    row->sum[OP_WRITE_BYTES] = seen->is_zero ? 0 : entry->ops[0].sum;
    return 0;
}

static int look(struct world *w, struct observe *observe)
{
    struct observe_listed listed = { SPAN("scratch-OST0001"), TARGET_OST };
    int rc = observe_list(observe, w->now_ms, &listed, 1);
    struct observe_target *target = observe_target_find(observe, listed.name);
    if (rc == 0)
        rc = observe_round_begin(target, w->now_ms, take_row, w);
    for (int64_t created = 1; rc == 0 && created <= w->created; created++)
        for (size_t i = 0; rc == 0 && i < JOBS; i++) {
            struct entry entry = entry_of(w, &w->jobs[i]);
            if (w->jobs[i].is_there && w->jobs[i].created == created)
                rc = observe_entry(target, &entry);
        }
    return rc < 0 ? rc : observe_round_end(target);
}

/* ---- what is answered ---- */

struct total {
    uint64_t least;
    uint64_t most; /* UINT64_MAX: nobody can say */
};

static int row_order(const void *a, const void *b)
{
    const struct jobrow *x = a, *y = b;
    return x->t_ms < y->t_ms ? -1 : x->t_ms > y->t_ms;
}

static struct total total_of(struct played *job)
{
    static struct chain chain;
    struct total total = { 0, 0 };
    chain_clear(&chain);
    qsort(job->rows, job->row_count, sizeof job->rows[0], row_order);
    for (size_t i = 0; i < job->row_count; i++) {
        struct increment inc;
        increment_between(chain_before(&chain, &job->rows[i]), &job->rows[i], &inc);
        chain_add(&chain, &job->rows[i]);
        uint64_t bytes = inc.sum[OP_WRITE_BYTES];
        bool is_known = !(inc.flags & INCREMENT_UNKNOWN);
        total.least += is_known ? bytes : 0;
        if (inc.flags & (INCREMENT_LOST_TAIL | INCREMENT_MISSING))
            total.most = UINT64_MAX;
        else if (total.most != UINT64_MAX)
            total.most += bytes;
    }
    return total;
}

struct figures {
    uint64_t entries, outside, wide, wide_for_nothing, mounts, removals, leaps, clears;
};

/* Returns whether it held. */
static bool judge(const struct args *args, struct world *w, uint64_t seed,
                  struct figures *f)
{
    bool held = true;
    for (size_t i = 0; i < JOBS; i++) {
        struct played *job = &w->jobs[i];
        /* What was done after the last look is not asked for. */
        struct total total = total_of(job);
        job->has_no_most |=
            job->cleared_ms && w->now_ms - job->cleared_ms < FORGOTTEN_MS;
        bool is_outside = job->true_bytes < total.least ||
                          (job->true_bytes > total.most && !job->has_no_most);
        bool is_wide = total.least != total.most;
        f->entries++;
        f->outside += is_outside;
        f->wide += is_wide;
        f->wide_for_nothing += is_wide && !job->was_hidden;
        held &= !is_outside && (!is_wide || job->was_hidden);
        if (args->verbose && is_wide && !job->was_hidden)
            printf("# seed %" PRIu64 " form %d %s: wide for nothing\n", seed,
                   (int)w->form, job->id);
        if (args->verbose && is_outside)
            printf("# seed %" PRIu64 " form %d %s: %" PRIu64 " is not in %" PRIu64
                   " .. %" PRIu64 "\n",
                   seed, (int)w->form, job->id, job->true_bytes, total.least,
                   total.most);
    }
    f->mounts += w->mounts;
    f->removals += w->removals;
    f->leaps += w->leaps;
    f->clears += w->clears;
    return held;
}

static int play(const struct args *args, uint64_t seed, struct figures *f,
                bool *ret_held)
{
    static struct world world;
    struct world *w = &world;
    *w = (struct world){ .form = (enum form)(seed % FORM_COUNT),
                         .random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1,
                         .now_ms = BEGIN_MS };
    for (size_t i = 0; i < JOBS; i++)
        (void)snprintf(w->jobs[i].id, sizeof w->jobs[i].id, "job%zu", i);
    struct observe_opts opts = { .interval_ms = INTERVAL_MS, .generations_max = 1000 };
    AUTO(observe_free) struct observe *observe = NULL;
    int rc = observe_new(&opts, &observe);
    int64_t at_ms = BEGIN_MS;
    bool has_mounts = draw(w, 3) > 0, has_leaps = draw(w, 4) == 0;
    bool has_clears = draw(w, 3) == 0;
    for (size_t round = 0; rc == 0 && round < ROUNDS; round++) {
        mark_hidden(w);
        w->has_mounted = false;
        rc = look(w, observe);
        at_ms += INTERVAL_MS;
        if (has_leaps && draw(w, 12) == 0)
            at_ms += leap(w);
        if (round + 1 < ROUNDS)
            live(w, at_ms, has_mounts && round && draw(w, 12) == 0,
                 has_clears && draw(w, 8) == 0 ? 1 + draw(w, 2) : 0);
    }
    *ret_held = rc == 0 && judge(args, w, seed, f);
    return rc;
}

static int run(void *opts, int operand_count, char **operands)
{
    const struct args *args = opts;
    struct figures f = { 0 };
    uint64_t failed = 0;
    (void)operand_count;
    (void)operands;
    for (uint64_t seed = args->first; seed < args->first + args->seeds; seed++) {
        bool held = false;
        int rc = play(args, seed, &f, &held);
        if (rc < 0) {
            fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, strerror(-rc));
            return EXIT_FAILED;
        }
        failed += !held;
    }
    printf("figure: %" PRIu64 " sequences of %d rounds: %" PRIu64 " mounts, %" PRIu64
           " removals, %" PRIu64 " single clears, %" PRIu64 " clocks set, %" PRIu64
           " entries\n",
           args->seeds, ROUNDS, f.mounts, f.removals, f.clears, f.leaps, f.entries);
    printf("figure: truth outside of what is answered: %" PRIu64 "; intervals: %" PRIu64
           ", of entries of which nothing was hidden: %" PRIu64 "\n",
           f.outside, f.wide, f.wide_for_nothing);
    return failed ? EXIT_FAILED : EXIT_OK;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "seeds", 0, OPTION_LIMIT, offsetof(struct args, seeds), "COUNT",
          "Play so many sequences." },
        { "first", 0, OPTION_LIMIT, offsetof(struct args, first), "SEED",
          "The first one's seed." },
        { "verbose", 'v', OPTION_FLAG, offsetof(struct args, verbose), NULL,
          "Name what did not hold." },
    };
    static const struct command command = {
        .name = "baro-sim-generations",
        .operands = "",
        .help = "Hold what is answered of played targets against the truth.",
        .options = options,
        .option_count = COUNT_OF(options),
        .args_size = sizeof(struct args),
        .run = run,
    };
    return options_main(&command, argc, argv);
}
