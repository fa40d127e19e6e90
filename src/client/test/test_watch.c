/* SPDX-License-Identifier: Apache-2.0 */
/* test_watch - rounds are read and shown as often as they should be. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "client/watch.h"

#include <errno.h>

#define HOUR_NS INT64_C(3600000000000)

struct played {
    struct observed *observed;
    unsigned reads, shows, waits;
    unsigned waits_max;  /* the wait that ends the watch; 0: none */
    unsigned read_fails; /* the read of that number; 0: none */
    unsigned show_fails;
    size_t rows;     /* of the table shown last */
    int64_t wait_ms; /* of the last wait */
};

static int played_read(void *arg, int64_t t_ms, struct err *err)
{
    struct played *played = arg;
    const struct entry entry = { .target = SPAN("s-OST0001"),
                                 .kind = TARGET_OST,
                                 .id = SPAN("a.1"),
                                 .flags = ENTRY_ID_QUOTED,
                                 .start_ns = T_NONE,
                                 .elapsed_ns = T_NONE,
                                 .op_count = 1,
                                 .ops[0] = { .name = SPAN("write_bytes"),
                                             .unit_text = SPAN("bytes"),
                                             .unit = OP_UNIT_BYTES,
                                             .has = OP_HAS_SAMPLES | OP_HAS_SUM,
                                             .samples = 1,
                                             .sum = 10 } };
    const struct observation seen = { .t_ms = t_ms,
                                      .since_ms = T_NONE,
                                      .previous_ms = T_NONE };
    if (++played->reads == played->read_fails)
        return err_set(err, EMFILE, "no process");
    return observed_add(played->observed, SPAN("oss01"), &entry, &seen);
}

static int played_show(void *arg, struct table *table, struct err *err)
{
    struct played *played = arg;
    played->rows = table->row_count;
    if (++played->shows == played->show_fails)
        return err_set(err, EIO, "no screen");
    return 0;
}

static bool played_wait(void *arg, int64_t wait_ms)
{
    struct played *played = arg;
    played->wait_ms = wait_ms;
    return ++played->waits != played->waits_max;
}

static int play(struct played *played, const struct client_args *args,
                int64_t interval_ns, uint64_t rounds, bool shows_each_round,
                struct err *err)
{
    AUTO(site_free) struct site *site = NULL;
    AUTO(observed_free) struct observed *observed = NULL;
    assert_int_equal(site_new(NULL, &site, err), 0);
    assert_int_equal(observed_new(site, &observed), 0);
    played->observed = observed;
    const struct watch_opts opts = { .args = args,
                                     .observed = observed,
                                     .interval_ns = interval_ns,
                                     .rounds = rounds,
                                     .shows_each_round = shows_each_round,
                                     .read_fn = played_read,
                                     .show_fn = played_show,
                                     .wait_fn = played_wait,
                                     .arg = played };
    return watch_run(&opts, err);
}

static void rounds_and_pictures_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t interval_ns;
        uint64_t rounds;
        bool shows_each_round;
        unsigned waits_max;
        unsigned reads, shows, waits;
    } cases[] = {
        { "one round waits for nothing", HOUR_NS, 1, false, 0, 1, 1, 0 },
        { "the last round alone is shown", 0, 3, false, 0, 3, 1, 2 },
        { "a terminal shows each", 0, 3, true, 0, 3, 3, 2 },
        { "without a limit each is shown until the end", 0, 0, false, 4, 4, 4, 4 },
        { "the end comes before the last round", 0, 9, false, 2, 2, 0, 2 },
        { "a wait that is cut short shows again, and reads no more", HOUR_NS, 0, true,
          3, 1, 3, 3 },
        { "so before the last round too", HOUR_NS, 2, true, 2, 1, 2, 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct played played = { .waits_max = cases[i].waits_max };
        const struct client_args args = { 0 };
        struct err err = { 0 };
        int rc = play(&played, &args, cases[i].interval_ns, cases[i].rounds,
                      cases[i].shows_each_round, &err);
        if (rc || played.reads != cases[i].reads || played.shows != cases[i].shows ||
            played.waits != cases[i].waits)
            fail_msg("%s: %d, %u reads, %u shown, %u waits", cases[i].name, rc,
                     played.reads, played.shows, played.waits);
    }
}

static void the_wait_is_what_is_left_of_the_interval(void **state)
{
    (void)state;
    struct played played = { .waits_max = 1 };
    const struct client_args args = { 0 };
    assert_int_equal(play(&played, &args, HOUR_NS, 0, true, NULL), 0);
    assert_in_range(played.wait_ms, 3000000, 3600000);
    played = (struct played){ .waits_max = 1 };
    assert_int_equal(play(&played, &args, 0, 0, true, NULL), 0);
    assert_int_equal(played.wait_ms, 0);
}

static void errors_end_the_watch(void **state)
{
    (void)state;
    const struct client_args args = { 0 }, bad = { .from = "yesterday-ish" };
    struct err err = { 0 };
    struct played played = { .read_fails = 2 };
    assert_int_equal(play(&played, &args, 0, 0, true, &err), -EMFILE);
    assert_string_equal(err.text, "no process");
    assert_int_equal(played.shows, 1);
    played = (struct played){ .show_fails = 2 };
    assert_int_equal(play(&played, &args, 0, 0, true, &err), -EIO);
    assert_int_equal(played.reads, 2);
    played = (struct played){ .show_fails = 2 };
    assert_int_equal(play(&played, &args, HOUR_NS, 0, true, &err), -EIO);
    assert_int_equal(played.reads, 1);
    played = (struct played){ 0 };
    assert_int_equal(play(&played, &bad, 0, 0, true, &err), -EINVAL);
    assert_int_equal(played.shows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_and_pictures_are_counted),
        cmocka_unit_test(the_wait_is_what_is_left_of_the_interval),
        cmocka_unit_test(errors_end_the_watch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
