/* SPDX-License-Identifier: Apache-2.0 */
/* test_inventory - parts of nodes in the database, the same for both engines. */
#include "base/number.h"
#include "base/span.h"
#include "records/inventory/host_bounds.h"
#include "records/inventory/inventory.h"
#include "records/records_private.h"
#include "records/test/fixture.h"

/* Run body on an empty database of each engine. */
#define EACH_ENGINE(f)                                                       \
    for (size_t engine_ = 0; engine_ < fixture_engine_count(); engine_++)    \
        for (struct fixture f,                                               \
             *once_ = (fixture_start(&f, fixture_engines[engine_], ""), &f); \
             once_; fixture_stop(once_), once_ = NULL)

#define T(s) ((T0_MS / MS_PER_S - 1000 + (s)) * NS_PER_S)
#define PARTS_MAX 8

/* "dimm A1 SERIAL MODEL FIRMWARE CORRECTED", as many as there are lines. */
static size_t parts_of(const char *text, struct node_part *parts)
{
    size_t count = 0;
    struct span rest = span_of(text), line;
    while (rest.size) {
        struct span fields[6];
        (void)span_cut(&rest, '\n', &line);
        for (size_t i = 0; i < COUNT_OF(fields); i++) {
            (void)span_cut(&line, ' ', &fields[i]);
            if (span_is(fields[i], "-"))
                fields[i] = SPAN("");
        }
        struct node_part *part = &parts[count++];
        *part = (struct node_part){ .slot = fields[1],
                                    .serial = fields[2],
                                    .model = fields[3],
                                    .firmware = fields[4],
                                    .vendor = SPAN(""),
                                    .label = SPAN(""),
                                    .corrected = -1,
                                    .uncorrected = -1 };
        assert_int_equal(part_class_parse(fields[0], &part->class), 0);
        (void)number_parse_i64(fields[5], &part->corrected);
        assert_in_range(count, 1, PARTS_MAX);
    }
    return count;
}

struct report {
    const char *host;
    int64_t t_ns, boot_ns;
    const char *parts;
    unsigned unread;
};

static void put(struct fixture *f, const struct report *report,
                struct records_submission *ret)
{
    struct node_part parts[PARTS_MAX];
    const struct node_inventory inventory = {
        .cluster = SPAN("alex"),
        .host = span_of(report->host),
        .t_ns = report->t_ns,
        .boot_ns = report->boot_ns,
        .unread = report->unread,
        .parts = parts,
        .part_count = parts_of(report->parts, parts),
    };
    struct err err = { 0 };
    *ret = (struct records_submission){ 0 };
    if (records_put_inventories(f->records, &inventory, 1, T0_MS, ret, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
}

static int stay_print(void *arg, const struct part_stay *p)
{
    strbuf_addf(arg,
                SPAN_FMT " " SPAN_FMT " " SPAN_FMT " %lld-%lld"
                         "%s%s" SPAN_FMT " %lld%s\n",
                SPAN_ARG(p->host), SPAN_ARG(p->slot), SPAN_ARG(p->serial),
                (long long)((p->first_ns - T(0)) / NS_PER_S),
                (long long)((p->last_ns - T(0)) / NS_PER_S), p->gone_ns ? " " : "", "",
                SPAN_ARG(p->gone_why), (long long)p->corrected,
                p->is_duplicate ? " duplicate" : "");
    return 0;
}

static int change_print(void *arg, const struct part_change *c)
{
    strbuf_addf(arg, "%lld " SPAN_FMT " " SPAN_FMT " '" SPAN_FMT "' '" SPAN_FMT "'\n",
                (long long)((c->t_ns - T(0)) / NS_PER_S), SPAN_ARG(c->change),
                SPAN_ARG(c->serial), SPAN_ARG(c->before), SPAN_ARG(c->after));
    return 0;
}

static void check_stays(struct fixture *f, const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct part_filter filter = { .which = PARTS_EVER };
    struct err err = { 0 };
    bool has_more = true;
    fixture_reopen(f);
    if (records_find_parts(f->reader, &filter, stay_print, &text, &has_more, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    assert_string_equal(strbuf_text(&text), want);
    assert_false(has_more);
}

static void check_changes(struct fixture *f, const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct part_filter filter = { .class_name = SPAN("dimm") };
    struct err err = { 0 };
    bool has_more = true;
    fixture_reopen(f);
    if (records_find_part_changes(f->reader, &filter, change_print, &text, &has_more,
                                  &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    assert_string_equal(strbuf_text(&text), want);
}

static void put_unread(struct fixture *f, const char *host, int64_t t_ns,
                       int64_t boot_ns, const char *parts, unsigned unread)
{
    const struct report report = { host, t_ns, boot_ns, parts, unread };
    struct records_submission got;
    put(f, &report, &got);
    assert_int_equal(got.refused, 0);
}

static void put_of(struct fixture *f, const char *host, int64_t t_ns, int64_t boot_ns,
                   const char *parts)
{
    put_unread(f, host, t_ns, boot_ns, parts, 0);
}

static void what_comes_twice_changes_nothing(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const struct report report = { "n1", T(10), 0, "dimm A1 3C4D5E6F M 1 5", 0 };
        struct report older = report;
        struct records_submission got;
        put(&f, &report, &got);
        assert_int_equal(got.accepted, 1);
        put(&f, &report, &got);
        assert_int_equal(got.duplicate, 1);
        older.t_ns = T(5);
        older.parts = "";
        put(&f, &older, &got);
        assert_int_equal(got.duplicate, 1);
        check_stays(&f, "n1 A1 3C4D5E6F 10-10 5\n");
        check_changes(&f, "10 found 3C4D5E6F '' 'n1 A1'\n");
    }
}

static void a_part_that_moved_is_one(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        put_of(&f, "n1", T(10), 0, "dimm A1 3C4D5E6F M 1 5\ndimm A2 AAAA1111 M 1 0");
        put_of(&f, "n2", T(20), 0, "dimm B1 BBBB2222 M 1 0");
        /* The host that has it now reports first. */
        put_of(&f, "n2", T(30), T(25), "dimm B1 3C4D5E6F M 1 2");
        put_of(&f, "n1", T(40), 0, "dimm A2 AAAA1111 M 1 0");
        /* To another slot, and away; the host that had it reports first. */
        put_of(&f, "n1", T(50), 0, "dimm A1 AAAA1111 M 1 0");
        put_of(&f, "n1", T(60), 0, "");
        put_of(&f, "n2", T(70), T(25),
               "dimm B1 3C4D5E6F M 1 2\ndimm B2 AAAA1111 M 1 0");
        check_stays(&f, "n1 A1 3C4D5E6F 10-10 moved 5\n"
                        "n1 A1 AAAA1111 50-50 gone 0\n"
                        "n1 A2 AAAA1111 10-40 moved 0\n"
                        "n2 B1 BBBB2222 20-20 replaced 0\n"
                        "n2 B1 3C4D5E6F 30-70 7\n"
                        "n2 B2 AAAA1111 70-70 0\n");
        check_changes(&f, "70 moved AAAA1111 'n1 A1' 'n2 B2'\n"
                          "60 gone AAAA1111 'AAAA1111' ''\n"
                          "50 moved AAAA1111 'n1 A2' 'n1 A1'\n"
                          "30 moved 3C4D5E6F 'n1 A1' 'n2 B1'\n"
                          "30 replaced BBBB2222 'BBBB2222' '3C4D5E6F'\n"
                          "20 found BBBB2222 '' 'n2 B1'\n"
                          "10 found 3C4D5E6F '' 'n1 A1'\n"
                          "10 found AAAA1111 '' 'n1 A2'\n");
    }
}

static void two_that_are_there_are_no_identity(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        put_of(&f, "n1", T(10), T(1), "dimm A1 3C4D5E6F M 1 0");
        /* n2 was started before n1 reported it: it was there already. */
        put_of(&f, "n2", T(20), T(5), "dimm B1 3C4D5E6F M 1 0");
        check_stays(&f, "n1 A1 3C4D5E6F 10-10 0 duplicate\n"
                        "n2 B1 3C4D5E6F 20-20 0 duplicate\n");
        put_of(&f, "n1", T(30), T(1), "dimm A1 3C4D5E6F M 1 0");
        check_stays(&f, "n1 A1 3C4D5E6F 10-30 0 duplicate\n"
                        "n2 B1 3C4D5E6F 20-20 0 duplicate\n");
        put_of(&f, "n1", T(40), T(1), "");
        check_stays(&f, "n1 A1 3C4D5E6F 10-30 gone 0\n"
                        "n2 B1 3C4D5E6F 20-20 0\n");
        check_changes(&f, "40 gone 3C4D5E6F '3C4D5E6F' ''\n"
                          "20 duplicate 3C4D5E6F 'n1 A1' 'n2 B1'\n"
                          "10 found 3C4D5E6F '' 'n1 A1'\n");
    }
}

static void one_that_both_report_by_turns_is_none(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        put_of(&f, "n1", T(10), 0, "dimm A1 3C4D5E6F M 1 0");
        put_of(&f, "n2", T(20), T(15),
               "dimm B1 3C4D5E6F M 1 0"); /* it seems to have moved */
        put_of(&f, "n1", T(30), 0, "dimm A1 3C4D5E6F M 1 0");
        check_stays(&f, "n1 A1 3C4D5E6F 10-10 moved 0\n"
                        "n1 A1 3C4D5E6F 30-30 0 duplicate\n"
                        "n2 B1 3C4D5E6F 20-20 0 duplicate\n");
        /* With a start between it is back. */
        put_of(&f, "n1", T(40), 0, "");
        put_of(&f, "n1", T(60), T(50), "dimm A1 3C4D5E6F M 1 0");
        check_changes(&f, "60 moved 3C4D5E6F 'n2 B1' 'n1 A1'\n"
                          "40 gone 3C4D5E6F '3C4D5E6F' ''\n"
                          "30 duplicate 3C4D5E6F 'n2 B1' 'n1 A1'\n"
                          "20 moved 3C4D5E6F 'n1 A1' 'n2 B1'\n"
                          "10 found 3C4D5E6F '' 'n1 A1'\n");
    }
}

static void a_report_of_the_past_moves_nothing(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        put_of(&f, "n1", T(10), T(1), "disk d0 3C4D5E6F M 1 -");
        put_of(&f, "n2", T(50), T(45), "disk d1 3C4D5E6F M 1 -"); /* hot: it moved */
        put_of(&f, "n3", T(30), T(25), "disk d2 3C4D5E6F M 1 -"); /* waited */
        check_stays(&f, "n1 d0 3C4D5E6F 10-10 moved 0\n"
                        "n2 d1 3C4D5E6F 50-50 0 duplicate\n"
                        "n3 d2 3C4D5E6F 30-30 0 duplicate\n");
        /* Without it: it had been there before n2. */
        put_of(&f, "n3", T(40), T(25), "");
        check_stays(&f, "n1 d0 3C4D5E6F 10-10 moved 0\n"
                        "n2 d1 3C4D5E6F 50-50 0\n"
                        "n3 d2 3C4D5E6F 30-30 moved 0\n");
    }
}

static void without_the_time_of_a_start_no_module_moves(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        put_of(&f, "n1", T(10), T(1), "dimm A1 3C4D5E6F M 1 0\ndisk d0 DDDD0001 M - -");
        put_of(&f, "n2", T(20), 0, "dimm B1 3C4D5E6F M 1 0\ndisk d1 DDDD0001 M - -");
        check_stays(&f, "n1 A1 3C4D5E6F 10-10 0 duplicate\n"
                        "n1 d0 DDDD0001 10-10 moved 0\n"
                        "n2 B1 3C4D5E6F 20-20 0 duplicate\n"
                        "n2 d1 DDDD0001 20-20 0\n");
    }
}

static void no_number_is_that_of_a_slot(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        put_of(&f, "n1", T(10), T(1), "disk d0 - M - -");
        put_of(&f, "n2", T(20), T(15), "disk d1 @n1_d0 M - -");
        put_of(&f, "n3", T(30), T(25), "disk d1 @n1_d0 M - -");
        check_stays(&f, "n1 d0  10-10 0\n"
                        "n2 d1 @n1_d0 20-20 0\n"
                        "n3 d1 @n1_d0 30-30 0\n");
    }
}

static void without_a_number_the_slot_is_what_it_is_known_by(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        put_of(&f, "n1", T(10), 0, "dimm A1 NO-DIMM M1 - 0\ndimm A2 0000 M1 1.0 0");
        put_of(&f, "n2", T(11), 0, "dimm A1 0000 M1 - 0");
        put_of(&f, "n1", T(20), 0, "dimm A1 - M2 - 0\ndimm A2 0000 M1 1.1 0");
        /* Two of one number in one node. */
        put_of(&f, "n3", T(30), 0, "dimm A1 3C4D5E6F M - 0\ndimm A2 3C4D5E6F M - 0");
        check_changes(&f, "30 found 3C4D5E6F '' 'n3 A1'\n"
                          "30 found 3C4D5E6F '' 'n3 A2'\n"
                          "20 replaced NO-DIMM 'M1' 'M2'\n"
                          "20 firmware 0000 '1.0' '1.1'\n"
                          "11 found 0000 '' 'n2 A1'\n"
                          "10 found NO-DIMM '' 'n1 A1'\n"
                          "10 found 0000 '' 'n1 A2'\n");
    }
}

static void what_was_not_read_is_not_gone(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        put_of(&f, "n1", T(10), 0, "dimm A1 3C4D5E6F M - 4\ndisk d0 SSSS0001 M - -");
        put_unread(&f, "n1", T(20), 0, "disk d0 SSSS0001 M - -", 1U << PART_DIMM);
        put_of(&f, "n1", T(30), T(25),
               "dimm A1 3C4D5E6F M - 3"); /* counts from 0 again */
        check_stays(&f, "n1 A1 3C4D5E6F 10-30 7\n"
                        "n1 d0 SSSS0001 10-20 gone 0\n");
        put_of(&f, "n1", T(40), T(25),
               "dimm A1 3C4D5E6F M - 3\ndisk d0 SSSS0001 M - -");
        check_stays(&f, "n1 A1 3C4D5E6F 10-40 7\n"
                        "n1 d0 SSSS0001 10-20 gone 0\n"
                        "n1 d0 SSSS0001 40-40 0\n");
    }
}

static void what_cannot_be_stored_is_refused(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const struct report late = { "n1", T0_MS * NS_PER_MS + 7200 * NS_PER_S, 0, "",
                                     0 };
        const struct report nameless = { "", T(1), 0, "", 0 };
        struct records_submission got;
        put(&f, &late, &got);
        assert_int_equal(got.refused, 1);
        assert_non_null(strstr(got.refusals[0].reason, "to come"));
        put(&f, &nameless, &got);
        assert_int_equal(got.refused, 1);
        check_stays(&f, "");
    }
}

static void check_refused(struct fixture *f, const struct report *report,
                          const char *reason)
{
    struct records_submission got;
    put(f, report, &got);
    assert_int_equal(got.refused, 1);
    assert_non_null(strstr(got.refusals[0].reason, reason));
}

static void reports_at_a_pace_of_no_change_are_refused(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct report report = { "n1", T(10), 0, "disk d0 DDDD0001 M - -", 0 };
        put_of(&f, "n1", T(10), 0, report.parts);
        report.t_ns = T(20) - 1;
        check_refused(&f, &report, "less than 10 s");
        put_of(&f, "n1", T(20), 0, report.parts);
        /* One was refused by its time: it counts, too. */
        for (int i = 3; i < HOST_REPORTS_BURST; i++)
            put_of(&f, "n1", T(10 * i), 0, report.parts);
        report.t_ns = T(10 * HOST_REPORTS_BURST);
        check_refused(&f, &report, "too many reports of its host");
        put_of(&f, "n2", report.t_ns, 0, report.parts);
    }
}

static void the_oldest_places_give_way(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct records_inventory_stats stats;
        fixture_sql(&f, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                        " WHERE i < 10000) INSERT INTO part_stays (cluster, part,"
                        " position, start_ns, end_ns, host, slot, gone_ns, gone_why,"
                        " class, told_ms) SELECT 'alex', 'disk S' || i, 'n1 d' || i,"
                        " i, i, 'n1', 'd' || i, i, 'gone', 'disk', 1 FROM n");
        put_of(&f, "n1", T(10), 0, "disk d0 DDDD0001 M - -");
        records_inventory_stats(f.records, &stats);
        assert_int_equal(stats.stays_pruned, INVENTORY_PARTS_MAX + 1);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM part_stays"),
                         RECORDS_STAYS_OF_HOST_MAX - INVENTORY_PARTS_MAX);
        assert_int_equal(fixture_number(&f, "SELECT min(start_ns) FROM part_stays"),
                         INVENTORY_PARTS_MAX + 2);
        put_of(&f, "n1", T(20), 0, "");
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM part_stays WHERE"
                                            " gone_ns IS NULL"),
                         0);
    }
}

static void a_host_has_so_many_changes_a_day(void **state)
{
    (void)state;
    AUTO(host_bounds_free) struct host_bounds *b = NULL;
    const struct span c = SPAN("alex"), n1 = SPAN("n1");
    assert_int_equal(host_bounds_new(&b), 0);
    assert_int_equal(host_bounds_changes(b, c, n1, T0_MS, 1024), 1024);
    assert_int_equal(host_bounds_changes(b, c, n1, T0_MS + 1, HOST_CHANGES_PER_DAY),
                     HOST_CHANGES_PER_DAY - 1024);
    assert_int_equal(host_bounds_changes(b, c, n1, T0_MS + 2, 1), 0);
    assert_int_equal(host_bounds_changes(b, c, SPAN("n2"), T0_MS, 1), 1);
    assert_int_equal(host_bounds_changes(b, c, n1, T0_MS + 86400000, 1), 1);
    /* One may come each 10 s. */
    for (int i = 0; i < HOST_REPORTS_BURST; i++)
        assert_int_equal(host_bounds_report(b, c, n1, T0_MS), 1);
    assert_int_equal(host_bounds_report(b, c, n1, T0_MS + 9999), 0);
    assert_int_equal(host_bounds_report(b, c, n1, T0_MS + 10000), 1);
    assert_int_equal(host_bounds_report(b, c, n1, T0_MS + 10000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_twice_changes_nothing),
        cmocka_unit_test(a_part_that_moved_is_one),
        cmocka_unit_test(two_that_are_there_are_no_identity),
        cmocka_unit_test(one_that_both_report_by_turns_is_none),
        cmocka_unit_test(a_report_of_the_past_moves_nothing),
        cmocka_unit_test(without_the_time_of_a_start_no_module_moves),
        cmocka_unit_test(no_number_is_that_of_a_slot),
        cmocka_unit_test(without_a_number_the_slot_is_what_it_is_known_by),
        cmocka_unit_test(what_was_not_read_is_not_gone),
        cmocka_unit_test(reports_at_a_pace_of_no_change_are_refused),
        cmocka_unit_test(the_oldest_places_give_way),
        cmocka_unit_test(a_host_has_so_many_changes_a_day),
        cmocka_unit_test(what_cannot_be_stored_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
