/* SPDX-License-Identifier: Apache-2.0 */
/* test_records_sink - batches into a database, upkeep of it, and a database that goes.
 */
#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "daemon/records_sink.h"
#include "daemon/rollup/rollup.h"
#include "daemon/scrub.h"

#include <errno.h>

#define HOUR_MS INT64_C(3600000)

struct fixture {
    struct daemon_parts parts;
    char path[128];
};

static void set_up(struct fixture *f, const char *name)
{
    struct err err = { 0 };
    static const struct resource_rules no_rules = { 0 };
    const struct live_opts live = { 0 };
    *f = (struct fixture){ 0 };
    log_set_level(LOG_LEVEL_ERROR);
    (void)snprintf(f->path, sizeof f->path, "%s.db", scratch_path(name));
    const struct records_opts opts = { .engine = "sqlite",
                                       .path = f->path,
                                       .retention_ns = 30 * 24 * HOUR_MS * NS_PER_MS };
    if (site_new(NULL, &f->parts.site, &err) < 0 ||
        records_open(&opts, f->parts.site, &f->parts.records, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(live_new(&live, &f->parts.live), 0);
    assert_int_equal(resource_table_new(&no_rules, &f->parts.resources, &err), 0);
}

static void tear_down(struct fixture *f)
{
    resource_table_free(f->parts.resources);
    live_free(f->parts.live);
    records_close(f->parts.records);
    site_free(f->parts.site);
}

/* A row at t_ms, with sequence number as the batch's. */
static int put(struct fixture *f, int64_t t_ms, uint64_t sequence,
               struct batch_result *ret, struct err *err)
{
    AUTO(jobbatch_done) struct jobbatch batch;
    jobbatch_init(&batch, 0);
    batch.has_id = true;
    batch.agent.bytes[0] = 7;
    batch.sequence = sequence;
    struct jobrow *row = jobbatch_add_row(&batch);
    row->fs = SPAN("scratch");
    row->server = SPAN("oss01");
    row->target = SPAN("scratch-OST0001");
    row->kind = TARGET_OST;
    row->entry_id = SPAN("7:1000:n1");
    row->id_exact = true;
    row->t_ms = t_ms;
    row->since_ms = t_ms - 60000;
    row->reset = RESET_YES;
    row->snapshot_ns = t_ms * NS_PER_MS;
    row->has_sum = row->has_samples = UINT64_C(1) << OP_WRITE_BYTES;
    row->sum[OP_WRITE_BYTES] = 100;
    row->samples[OP_WRITE_BYTES] = 1;
    return records_sink_put(&f->parts, &batch, ret, err);
}

static void each_row_is_accepted_known_or_refused_with_its_reason(void **state)
{
    struct fixture f;
    struct batch_result result = { 0 };
    struct err err = { 0 };
    int64_t now_ms = clock_now_ms();
    (void)state;
    set_up(&f, "put");
    assert_int_equal(put(&f, now_ms, 1, &result, &err), 0);
    assert_true(result.accepted == 1 && !result.replayed && result.refused == 0);
    assert_int_equal(put(&f, now_ms, 1, &result, &err), 0);
    assert_true(result.replayed && result.accepted == 1);
    assert_int_equal(put(&f, now_ms, 2, &result, &err), 0);
    assert_true(result.duplicate == 1 && result.accepted == 0 && !result.replayed);
    assert_int_equal(put(&f, now_ms - 31 * 24 * HOUR_MS, 3, &result, &err), 0);
    assert_true(result.refused == 1 && result.refusal_count == 1);
    assert_int_equal(result.refusals[0].row, 0);
    assert_true(result.refusals[0].reason && result.refusals[0].reason[0]);
    tear_down(&f);
}

static void upkeep_runs_when_its_interval_is_over_or_the_clock_went_back(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f, "upkeep");
    f.parts.maintain_ms = HOUR_MS;
    records_sink_upkeep(&f.parts);
    int64_t first_ms = f.parts.maintained_ms;
    assert_true(first_ms > 0);
    f.parts.maintained_ms = first_ms - 1000; /* a second ago: not yet */
    records_sink_upkeep(&f.parts);
    assert_true(f.parts.maintained_ms == first_ms - 1000);
    f.parts.maintained_ms = first_ms - HOUR_MS - 1;
    records_sink_upkeep(&f.parts);
    assert_true(f.parts.maintained_ms >= first_ms);
    f.parts.maintained_ms = first_ms + HOUR_MS; /* the clock was set back */
    records_sink_upkeep(&f.parts);
    assert_true(f.parts.maintained_ms < first_ms + HOUR_MS);
    assert_false(f.parts.is_unwell);
    tear_down(&f);
}

/* The batch stays with its sender, and upkeep knows of it before the next one comes. */
static void a_database_that_is_taken_away_refuses_until_it_is_back(void **state)
{
    struct fixture f;
    struct batch_result result = { .accepted = 4711 };
    struct err err = { 0 };
    char away[140];
    int64_t now_ms = clock_now_ms();
    (void)state;
    set_up(&f, "gone");
    (void)snprintf(away, sizeof away, "%s.away", f.path);
    assert_int_equal(rename(f.path, away), 0);
    assert_int_equal(put(&f, now_ms, 1, &result, &err), -EAGAIN);
    assert_non_null(strstr(err.text, "the file was removed"));
    assert_int_equal(result.accepted, 4711); /* untouched */
    records_sink_upkeep(&f.parts);
    assert_true(f.parts.is_unwell);
    assert_int_equal(f.parts.maintained_ms, 0); /* nothing was maintained */
    assert_int_equal(rename(away, f.path), 0);
    records_sink_upkeep(&f.parts);
    tear_down(&f);
}

/* ---- threads beside the writer ---- */

static void hours_that_are_over_become_cells(void **state)
{
    struct fixture f;
    struct batch_result result = { 0 };
    struct rollup_worker *worker = NULL;
    struct rollup_worker_stats stats;
    struct err err = { 0 };
    int64_t now_ms = clock_now_ms();
    (void)state;
    set_up(&f, "rollup");
    for (int i = 0; i < 5; i++)
        assert_int_equal(put(&f, now_ms - 3 * HOUR_MS - i * INT64_C(120000),
                             (uint64_t)i + 1, &result, &err),
                         0);
    const struct rollup_worker_opts opts = { .records = f.parts.records,
                                             .every_ms = 60000,
                                             .retention_ms = 24 * HOUR_MS };
    rollup_worker_stats(NULL, &stats);
    assert_int_equal(stats.hours, 0);
    assert_int_equal(rollup_worker_start(&opts, &worker, &err), 0);
    do {
        (void)usleep(2000);
        rollup_worker_stats(worker, &stats);
    } while (stats.errors == 0 && (stats.hours < 2 || stats.cells == 0));
    assert_int_equal(stats.errors, 0);
    assert_true(stats.cells >= 1);
    assert_int_equal(stats.stale, 0);
    rollup_worker_free(worker);
    rollup_worker_free(NULL);
    tear_down(&f);
}

static void a_check_for_damage_ends_when_it_is_told(void **state)
{
    struct fixture f;
    struct daemon_scrub *scrub = NULL;
    struct err err = { 0 };
    (void)state;
    set_up(&f, "scrub");
    assert_int_equal(daemon_scrub_start(f.parts.records, &scrub, &err), 0);
    daemon_scrub_free(scrub); /* whatever it does */
    daemon_scrub_free(NULL);
    tear_down(&f);
    /* Of a database that is not there yet it waits. */
    const struct records_opts opts = { .engine = "sqlite",
                                       .path = "/nonexistent/barod.db" };
    set_up(&f, "scrub");
    struct records *absent = NULL;
    assert_int_equal(records_new(&opts, f.parts.site, &absent, &err), 0);
    assert_int_equal(daemon_scrub_start(absent, &scrub, &err), 0);
    daemon_scrub_free(scrub);
    records_close(absent);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_is_accepted_known_or_refused_with_its_reason),
        cmocka_unit_test(upkeep_runs_when_its_interval_is_over_or_the_clock_went_back),
        cmocka_unit_test(a_database_that_is_taken_away_refuses_until_it_is_back),
        cmocka_unit_test(hours_that_are_over_become_cells),
        cmocka_unit_test(a_check_for_damage_ends_when_it_is_told),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
