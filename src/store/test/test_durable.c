/* SPDX-License-Identifier: Apache-2.0 */
/* test_durable - two stores get the same batches, one of them in memory only; the other
 * is closed, killed, checkpointed and emptied of history at random.  Nobody can tell.
 */
#include "base/number.h"
#include "base/span.h"
#include "base/test/directory.h"
#include "store/store.h"

#include <math.h>

#define SECOND INT64_C(1000000000)
#define BEGIN (INT64_C(1700000003) * SECOND)
#define SERIES 24
#define SEEN_MAX 20000

static uint64_t seed;
static uint64_t seeds = 6; /* or as many as the first argument says */

static uint64_t draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return seed >> 20 ^ seed << 33;
}

static double draw_value(void)
{
    static const uint64_t odd[] = { MISSING_BITS,
                                    UINT64_C(0x7FF8000000000001),
                                    UINT64_C(0xFFF8000000000000),
                                    UINT64_C(0x8000000000000000),
                                    0x7FF0000000000000,
                                    UINT64_C(0xFFF0000000000000),
                                    1,
                                    0 };
    uint64_t kind = draw() % 10;
    if (kind == 0)
        return bits_double(odd[draw() % COUNT_OF(odd)]);
    if (kind == 1)
        return bits_double(draw());
    return kind < 6 ? (double)(draw() % 100000) / 100 : (double)(draw() % 7);
}

static void say(void *arg, enum metric_store_notice notice, const char *text)
{
    int *failures = arg;
    *failures += notice == STORE_ERROR;
    if (notice == STORE_ERROR)
        print_message("# %s\n", text);
}

/* The two stores, and what is told to both. */
struct pair {
    struct metric_store *plain, *kept;
    char dir[64];
    unsigned generation;
    int64_t floor_ns; /* nothing later than this comes to before it */
    unsigned read_from;
    int failures;
    struct {
        char path[48];
        int64_t step_ns;
        char metric[16];
        int64_t t_ns; /* of its newest */
    } series[SERIES];
};

static struct metric_store *open_store(const char *dir, int *failures)
{
    struct metric_store_options options = {
        .dir = dir,
        .shard_count = 2,
        .report = say,
        .report_arg = failures,
        .archive_interval_ns = 3600 * SECOND,
    };
    struct metric_store *store = NULL;
    struct err err = { 0 };
    if (metric_store_open(&options, &store, &err) < 0)
        fail_msg("%s", err.text);
    return store;
}

static const struct metric *declare(struct metric_store *store, const char *name,
                                    int64_t step_ns)
{
    struct metric m = { .name = span_of(name), .step_ns = step_ns };
    const struct metric *ret = metric_find(metric_store_metrics(store), m.name);
    if (!ret)
        assert_int_equal(metric_declare(metric_store_metrics(store), &m, &ret), 0);
    return ret;
}

static void pair_open(struct pair *p)
{
    static const int64_t steps[] = { 10 * SECOND, 0, SECOND / 2, 60 * SECOND,
                                     STEP_SOUGHT };
    memset(p, 0, sizeof *p);
    /* Hundreds of syncs: on a disk they would be most of the time. */
    (void)snprintf(p->dir, sizeof p->dir, "%s/baro-durable.XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(p->dir));
    p->floor_ns = BEGIN;
    p->plain = open_store(NULL, &p->failures);
    p->kept = open_store(p->dir, &p->failures);
    for (size_t i = 0; i < SERIES; i++) {
        (void)snprintf(p->series[i].path, sizeof p->series[i].path, "c/h%zu%s", i / 4,
                       i % 3 ? "" : "/socket:0");
        (void)snprintf(p->series[i].metric, sizeof p->series[i].metric, "m%zu", i % 5);
        p->series[i].step_ns = steps[i % 5];
        p->series[i].t_ns = BEGIN + (int64_t)(draw() % SECOND);
    }
}

static void pair_close(struct pair *p)
{
    metric_store_close(p->plain);
    metric_store_close(p->kept);
    assert_int_equal(p->failures, 0);
    directory_remove(p->dir);
}

static struct level_series *series_of(struct pair *p, struct metric_store *store,
                                      size_t i)
{
    struct level_series *s = NULL;
    const struct metric *m = declare(store, p->series[i].metric, p->series[i].step_ns);
    assert_int_equal(metric_store_series(store, span_of(p->series[i].path), m, &s), 0);
    return s;
}

/* Mostly the next in time; late, again, after a gap; the phase moves on all the while.
 */
static int64_t draw_time(struct pair *p, size_t i)
{
    int64_t grid_ns = step_of_grid(p->series[i].step_ns);
    int64_t step_ns = grid_ns ? grid_ns : 7 * SECOND;
    int64_t *t_ns = &p->series[i].t_ns;
    uint64_t kind = draw() % 100;
    if (kind < 8)
        return *t_ns - (int64_t)(draw() % 3000) * step_ns / 7;
    if (kind < 12)
        return *t_ns;
    if (kind == 12)
        *t_ns += (int64_t)(draw() % 600) * step_ns;
    /* Some change their step for a while. */
    if (i % 3 == 1 && *t_ns / (200 * step_ns) % 2)
        step_ns /= 6;
    int64_t drift_ns = (int64_t)(i % 5) * step_ns / 50;
    *t_ns += step_ns + drift_ns;
    return *t_ns + (int64_t)(draw() % (uint64_t)(step_ns / 8));
}

struct told {
    size_t count;
    size_t series[256];
    int64_t t_ns[256];
    double value[256];
};

static void tell(struct pair *p, struct metric_store *store, const struct told *told)
{
    for (size_t shard = 0; shard < 2; shard++) {
        struct sample points[256];
        struct sample_counts taken;
        size_t count = 0;
        for (size_t i = 0; i < told->count; i++) {
            struct level_series *s = series_of(p, store, told->series[i]);
            if (s->level->shard == shard)
                points[count++] = (struct sample){ s, told->t_ns[i], told->value[i] };
        }
        struct metric_batch batch = { shard, points, count, METRIC_STORED };
        if (count > 0)
            assert_int_equal(metric_store_put(store, &batch, &taken), 0);
        if (count > 0)
            assert_int_equal(taken.accepted, count);
    }
}

static void tell_both(struct pair *p)
{
    struct told told = { .count = 1 + draw() % 200 };
    for (size_t i = 0; i < told.count; i++) {
        told.series[i] = draw() % SERIES;
        told.t_ns[i] = draw_time(p, told.series[i]);
        if (told.t_ns[i] < p->floor_ns)
            told.t_ns[i] = p->floor_ns + (int64_t)(draw() % 60) * SECOND;
        told.value[i] = draw_value();
    }
    tell(p, p->plain, &told);
    tell(p, p->kept, &told);
}

struct seen {
    size_t count;
    int64_t times[SEEN_MAX];
    uint64_t bits[SEEN_MAX];
};

static int see(void *arg, const int64_t *times, const double *values, size_t count)
{
    struct seen *seen = arg;
    for (size_t i = 0; i < count; i++) {
        if (double_bits(values[i]) == MISSING_BITS)
            continue;
        assert_true(seen->count < SEEN_MAX);
        assert_true(seen->count == 0 || seen->times[seen->count - 1] < times[i]);
        seen->times[seen->count] = times[i];
        seen->bits[seen->count++] = double_bits(values[i]);
    }
    return 0;
}

static unsigned look(struct pair *p, struct metric_store *store, size_t i,
                     int64_t from_ns, int64_t to_ns, struct seen *seen)
{
    struct metric_read read = { 0 };
    struct metric_range range = { from_ns, to_ns, see, seen };
    seen->count = 0;
    const struct level_series *s = series_of(p, store, i);
    unsigned reader = metric_store_enter(store);
    assert_int_equal(metric_store_read(store, s, &range, &read), 0);
    assert_int_equal(read.unreadable, 0);
    metric_store_leave(store, reader);
    return read.from;
}

static void compare_stats(struct pair *p, size_t i, int64_t from_ns, int64_t to_ns)
{
    struct series_stats plain, kept;
    const struct level_series *a = series_of(p, p->plain, i);
    const struct level_series *b = series_of(p, p->kept, i);
    assert_int_equal(metric_store_stats(p->plain, a, from_ns, to_ns, &plain), 0);
    assert_int_equal(metric_store_stats(p->kept, b, from_ns, to_ns, &kept), 0);
    assert_int_equal(plain.count, kept.count);
    assert_true(plain.count == 0 || (plain.min == kept.min && plain.max == kept.max));
}

static void compare(struct pair *p)
{
    static struct seen plain, kept;
    for (size_t i = 0; i < SERIES; i++) {
        int64_t length_ns = p->series[i].t_ns - BEGIN;
        int64_t from_ns = 0, to_ns = INT64_MAX / 2;
        if (draw() % 2 && length_ns > 0) {
            from_ns = BEGIN + (int64_t)(draw() % (uint64_t)length_ns);
            to_ns = from_ns + (int64_t)(draw() % (uint64_t)length_ns);
        }
        (void)look(p, p->plain, i, from_ns, to_ns, &plain);
        p->read_from |= look(p, p->kept, i, from_ns, to_ns, &kept);
        if (plain.count != kept.count)
            fail_msg("series %zu: %zu samples, not %zu", i, kept.count, plain.count);
        compare_stats(p, i, from_ns, to_ns);
        for (size_t n = 0; n < plain.count; n++) {
            if (plain.times[n] != kept.times[n] || plain.bits[n] != kept.bits[n])
                fail_msg("series %zu: sample %zu differs", i, n);
        }
    }
}

static void die_and_come_back(struct pair *p)
{
    char next[80];
    (void)snprintf(next, sizeof next, "%.40s-%u", p->dir, ++p->generation);
    directory_copy(p->dir, next);
    metric_store_close(p->kept);
    directory_remove(p->dir);
    assert_int_equal(rename(next, p->dir), 0);
    p->kept = open_store(p->dir, &p->failures);
}

static void close_and_come_back(struct pair *p)
{
    metric_store_close(p->kept);
    p->kept = open_store(p->dir, &p->failures);
}

/* Memory lets go of a part of history; old files go into an archive. */
static void forget(struct pair *p)
{
    struct err err = { 0 };
    int64_t newest_ns = 0;
    for (size_t i = 0; i < SERIES; i++)
        newest_ns = p->series[i].t_ns > newest_ns ? p->series[i].t_ns : newest_ns;
    int64_t t_ns = p->floor_ns + (int64_t)(draw() % (uint64_t)(newest_ns - BEGIN)) / 4;
    t_ns = t_ns < newest_ns ? t_ns : newest_ns;
    (void)metric_store_release(p->kept, SPAN(""), t_ns);
    p->floor_ns = t_ns + 2 * SECOND;
    if (draw() % 2)
        return;
    if (metric_store_checkpoint(p->kept, &err) < 0 ||
        metric_store_archive(p->kept, &err) < 0)
        fail_msg("%s", err.text);
}

static void nobody_can_tell_that_it_was_away(void **state)
{
    (void)state;
    unsigned from = 0;
    for (uint64_t first = 1; first <= seeds; first++) {
        struct pair p;
        struct err err = { 0 };
        seed = first;
        pair_open(&p);
        for (int round = 0; round < 160; round++) {
            tell_both(&p);
            uint64_t kind = draw() % 24;
            if (kind == 0)
                die_and_come_back(&p);
            else if (kind == 1)
                close_and_come_back(&p);
            else if (kind < 5 && metric_store_checkpoint(p.kept, &err) < 0)
                fail_msg("%s", err.text);
            if (draw() % 20 == 0)
                forget(&p);
            if (draw() % 8 == 0)
                compare(&p);
        }
        compare(&p);
        close_and_come_back(&p);
        compare(&p);
        from |= p.read_from;
        pair_close(&p);
    }
    assert_int_equal(from,
                     METRIC_FROM_MEMORY | METRIC_FROM_CHECKPOINT | METRIC_FROM_ARCHIVE);
}

int main(int argc, char **argv)
{
    if (argc > 1 && number_parse_u64(span_of(argv[1]), &seeds) < 0)
        return EXIT_USAGE;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_can_tell_that_it_was_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
