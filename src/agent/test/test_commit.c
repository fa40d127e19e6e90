/* SPDX-License-Identifier: Apache-2.0 */
/* test_commit - spool and state have one history, wherever the agent was ended. */
#include "agent/commit.h"
#include "agent/state_file.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"

#include <errno.h>
#include <inttypes.h>

#define T0 INT64_C(1669010520000)

/* An agent of one target, in a directory of its own. */
struct played {
    struct commit_log log;
    struct observe *observe;
    struct observe_target *target;
    struct agent_report report;
    char state_dir[128], spool_dir[128];
    char reported[1024];
    int open_rc;
};

static void on_report(void *arg, enum log_level level, enum agent_event event,
                      const char *text)
{
    struct played *p = arg;
    (void)level;
    (void)event;
    (void)snprintf(p->reported, sizeof p->reported, "%s", text);
}

static void start(struct played *p, const char *name)
{
    const struct observe_opts observe = { .interval_ms = 120000,
                                          .generations_max = 1000 };
    struct err err = { 0 };
    p->report = (struct agent_report){ on_report, p };
    p->reported[0] = '\0';
    (void)snprintf(p->state_dir, sizeof p->state_dir, "%s/%s/state", scratch, name);
    (void)snprintf(p->spool_dir, sizeof p->spool_dir, "%s/%s/spool", scratch, name);
    const struct commit_opts opts = {
        .state_dir = p->state_dir,
        .spool = { .dir = p->spool_dir, .bytes_max = 1 << 20 },
        .report = &p->report,
    };
    assert_int_equal(observe_new(&observe, &p->observe), 0);
    struct commit_opts with = opts;
    with.observe = p->observe;
    p->open_rc = commit_log_open(&p->log, &with, &err);
    p->target = observe_target_find(p->observe, SPAN("s-OST0001"));
}

static void stop(struct played *p)
{
    commit_log_close(&p->log);
    observe_free(p->observe);
}

static void list_targets(struct played *p)
{
    const struct observe_listed listed = { SPAN("s-OST0001"), TARGET_OST };
    struct err err = { 0 };
    assert_int_equal(observe_list(p->observe, T0 - 1, &listed, 1), 0);
    assert_int_equal(commit_list(&p->log, &err), 0);
    p->target = observe_target_find(p->observe, SPAN("s-OST0001"));
}

/* One read, in which the job has written bytes; not committed yet. */
static struct agent_batches *read_once(struct played *p, int64_t t_ms, uint64_t bytes)
{
    struct agent_batches *batches = NULL;
    struct entry entry = { .target = SPAN("s-OST0001"),
                           .kind = TARGET_OST,
                           .id = SPAN("job"),
                           .snapshot_ns = t_ms * NS_PER_MS,
                           .start_ns = NS_PER_S,
                           .elapsed_ns = T_NONE,
                           .op_count = 1 };
    entry.ops[0] = (struct op_stat){ .name = SPAN("write_bytes"),
                                     .unit_text = SPAN("bytes"),
                                     .unit = OP_UNIT_BYTES,
                                     .has = OP_HAS_SAMPLES | OP_HAS_SUM,
                                     .samples = 1,
                                     .sum = bytes };
    assert_int_equal(
        agent_batches_new(&p->log.uuid, SPAN("oss01"), &p->log.batch_number, &batches),
        0);
    assert_int_equal(observe_round_begin(p->target, t_ms, agent_batches_row, batches),
                     0);
    assert_int_equal(observe_entry(p->target, &entry), 0);
    assert_int_equal(observe_round_end(p->target), 0);
    return batches;
}

static int read_and_commit(struct played *p, int64_t t_ms, uint64_t bytes)
{
    struct err err = { 0 };
    struct agent_batches *batches = read_once(p, t_ms, bytes);
    int rc = commit_read(&p->log, p->target, batches, &err);
    agent_batches_free(batches);
    return rc;
}

static void what_was_committed_is_known_after_a_restart(void **state)
{
    (void)state;
    struct played p;
    start(&p, "restart");
    assert_int_equal(p.open_rc, 0);
    list_targets(&p);
    assert_int_equal(read_and_commit(&p, T0, 10), 0);
    assert_int_equal(read_and_commit(&p, T0 + 120000, 20), 0);
    const struct uuid uuid = p.log.uuid;
    const uint64_t number = p.log.batch_number, committed = p.log.committed;
    assert_int_equal(committed, 2);
    stop(&p);
    start(&p, "restart");
    assert_int_equal(p.open_rc, 0);
    assert_non_null(p.target);
    assert_int_equal(observe_target_round_ms(p.target), T0 + 120000);
    assert_memory_equal(&p.log.uuid, &uuid, sizeof uuid);
    assert_int_equal(p.log.batch_number, number);
    assert_int_equal(p.log.committed, committed);
    assert_string_equal(p.reported, "");
    stop(&p);
}

/* The batches are in the spool, the state is not: as if the read had not been. */
static void batches_of_a_read_without_a_state_are_cut_off(void **state)
{
    (void)state;
    struct played p;
    struct spool_counts counts;
    start(&p, "cut");
    list_targets(&p);
    assert_int_equal(read_and_commit(&p, T0, 10), 0);
    struct agent_batches *batches = read_once(&p, T0 + 120000, 20);
    assert_int_equal(agent_batches_finish(batches), 0);
    const struct agent_batch *batch = agent_batches_at(batches, 0);
    assert_int_equal(
        spool_append(p.log.spool, strbuf_span(&batch->data), batch->entries, NULL), 0);
    agent_batches_free(batches);
    assert_int_equal(p.log.committed, 1);
    stop(&p);
    start(&p, "cut");
    assert_non_null(strstr(p.reported, "1 batches of a read that was cut off"));
    spool_count(p.log.spool, &counts);
    assert_int_equal(counts.records, 1);
    assert_int_equal(p.log.committed, 1);
    assert_int_equal(observe_target_round_ms(p.target), T0);
    /* The next read finds what the one that was cut off found. */
    assert_int_equal(read_and_commit(&p, T0 + 240000, 20), 0);
    assert_int_equal(p.log.committed, 2);
    stop(&p);
}

static void a_read_that_cannot_be_stored_leaves_all_as_it_was(void **state)
{
    (void)state;
    struct played p;
    struct spool_counts counts;
    char path[192];
    start(&p, "fails");
    list_targets(&p);
    assert_int_equal(read_and_commit(&p, T0, 10), 0);
    (void)snprintf(path, sizeof path, "%s/s-OST0001.state.new", p.state_dir);
    assert_int_equal(mkdir(path, 0700), 0); /* nothing can be written there */
    assert_int_equal(read_and_commit(&p, T0 + 120000, 20), -EISDIR);
    spool_count(p.log.spool, &counts);
    assert_int_equal(counts.records, 1);
    assert_int_equal(p.log.committed, 1);
    assert_int_equal(observe_target_round_ms(p.target), T0);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(read_and_commit(&p, T0 + 240000, 20), 0);
    stop(&p);
}

/* The lost one may have had the highest number: none is given twice under one name. */
static void without_all_states_batches_have_another_name(void **state)
{
    (void)state;
    static const char *const damages[] = { "removed", "damaged" };
    for (size_t i = 0; i < COUNT_OF(damages); i++) {
        struct played p;
        char path[192];
        start(&p, damages[i]);
        list_targets(&p);
        assert_int_equal(read_and_commit(&p, T0, 10), 0);
        const struct uuid uuid = p.log.uuid;
        (void)snprintf(path, sizeof path, "%s/s-OST0001.state", p.state_dir);
        stop(&p);
        if (i == 0)
            assert_int_equal(unlink(path), 0);
        else
            assert_int_equal(truncate(path, 100), 0);
        start(&p, damages[i]);
        assert_int_equal(p.open_rc, 0);
        assert_memory_not_equal(&p.log.uuid, &uuid, sizeof uuid);
        assert_int_equal(observe_target_round_ms(p.target), T_NONE);
        /* A target without a state was never read, so that its batch does not count;
         * of a state that is damaged that is not known, and nothing is cut off. */
        assert_int_equal(p.log.committed, i);
        stop(&p);
    }
}

static void a_spool_that_was_removed_is_counted(void **state)
{
    (void)state;
    struct played p;
    struct spool_counts counts;
    char path[192];
    start(&p, "gone");
    list_targets(&p);
    assert_int_equal(read_and_commit(&p, T0, 10), 0);
    assert_int_equal(read_and_commit(&p, T0 + 120000, 20), 0);
    stop(&p);
    static const char *const files[] = { "acknowledged", "00000000000000000001.spool" };
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        (void)snprintf(path, sizeof path, "%s/%s", p.spool_dir, files[i]);
        assert_int_equal(unlink(path), 0);
    }
    start(&p, "gone");
    assert_int_equal(p.open_rc, 0);
    assert_non_null(strstr(p.reported, "should end at 2"));
    assert_int_equal(spool_next_sequence(p.log.spool), 3);
    spool_count(p.log.spool, &counts);
    assert_int_equal(counts.records, 0);
    stop(&p);
}

static void a_directory_that_was_removed_is_made_again(void **state)
{
    (void)state;
    struct played p;
    char command[192];
    start(&p, "dir");
    list_targets(&p);
    (void)snprintf(command, sizeof command, "%s/agent.list", p.state_dir);
    assert_int_equal(unlink(command), 0);
    assert_int_equal(rmdir(p.state_dir), 0);
    assert_int_equal(read_and_commit(&p, T0, 10), 0);
    assert_non_null(strstr(p.reported, "was removed, and is made again"));
    stop(&p);
}

static void a_state_of_a_later_version_is_refused(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct played p;
    struct err err = { 0 };
    char path[192];
    start(&p, "later");
    list_targets(&p);
    stop(&p);
    (void)snprintf(path, sizeof path, "%s/agent.list", p.state_dir);
    assert_int_equal(file_read(path, 1 << 20, &bytes, &err), 0);
    struct frame_header header = { .kind = "aglt", .version = 99 };
    frame_write_header(&header, (uint8_t *)bytes.data);
    assert_int_equal(file_replace(path, bytes.data, bytes.size, 0600, &err), 0);
    start(&p, "later");
    assert_int_equal(p.open_rc, -EPROTONOSUPPORT);
    stop(&p);
}

/* ---- one file ---- */

static void a_state_file_is_read_as_it_was_written(void **state)
{
    (void)state;
    const struct state_marks marks = { 7, 9, UINT64_C(1) << 40 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct state_marks back;
    struct span payload;
    struct err err = { 0 };
    const char *path = scratch_path("one.state");
    bool made_dir = false;
    assert_int_equal(
        state_file_read(path, STATE_KIND_TARGET, &bytes, &back, &payload, &err),
        -ENOENT);
    for (int i = 0; i < 2; i++)
        assert_int_equal(state_file_write(path, STATE_KIND_TARGET, &marks,
                                          i ? SPAN("the state") : SPAN("before"),
                                          &made_dir, &err),
                         0);
    assert_false(made_dir);
    assert_int_equal(
        state_file_read(path, STATE_KIND_TARGET, &bytes, &back, &payload, &err), 0);
    assert_true(span_is(payload, "the state"));
    assert_int_equal(back.sequence, 7);
    assert_int_equal(back.spool_mark, 9);
    assert_int_equal(back.number, UINT64_C(1) << 40);
    assert_int_equal(
        state_file_read(path, STATE_KIND_LIST, &bytes, &back, &payload, &err),
        -EBADMSG);
}

static void a_state_file_with_any_damage_is_none(void **state)
{
    (void)state;
    const struct state_marks marks = { 1, 2, 3 };
    AUTO(strbuf_done) struct strbuf whole = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct state_marks back;
    struct span payload;
    struct err err = { 0 };
    const char *path = scratch_path("damaged.state");
    assert_int_equal(
        state_file_write(path, STATE_KIND_LIST, &marks, SPAN("payload"), NULL, &err),
        0);
    assert_int_equal(file_read(path, 4096, &whole, &err), 0);
    for (size_t i = 0; i < whole.size; i++) {
        whole.data[i] ^= 1;
        assert_int_equal(file_replace(path, whole.data, whole.size, 0600, &err), 0);
        whole.data[i] ^= 1;
        strbuf_clear(&bytes);
        assert_true(
            state_file_read(path, STATE_KIND_LIST, &bytes, &back, &payload, &err) < 0);
    }
    for (size_t cut = 0; cut < whole.size; cut++) {
        assert_int_equal(file_replace(path, whole.data, cut, 0600, &err), 0);
        strbuf_clear(&bytes);
        assert_int_equal(
            state_file_read(path, STATE_KIND_LIST, &bytes, &back, &payload, &err),
            -EBADMSG);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_committed_is_known_after_a_restart),
        cmocka_unit_test(batches_of_a_read_without_a_state_are_cut_off),
        cmocka_unit_test(a_read_that_cannot_be_stored_leaves_all_as_it_was),
        cmocka_unit_test(without_all_states_batches_have_another_name),
        cmocka_unit_test(a_spool_that_was_removed_is_counted),
        cmocka_unit_test(a_directory_that_was_removed_is_made_again),
        cmocka_unit_test(a_state_of_a_later_version_is_refused),
        cmocka_unit_test(a_state_file_is_read_as_it_was_written),
        cmocka_unit_test(a_state_file_with_any_damage_is_none),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
