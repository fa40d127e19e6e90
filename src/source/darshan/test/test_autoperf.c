/* SPDX-License-Identifier: Apache-2.0 */
/* test_autoperf - records of APMPI and APXC: what is read, and layouts that are not. */
#include "base/test/testing.h"
#include "source/darshan/autoperf_names.h"
#include "source/darshan/test/log_maker.h"

struct opened {
    struct strbuf data, faults;
    struct darshan_log *log;
    size_t heads, records;
    int64_t rank;
    int64_t last;   /* counter */
    double total_s; /* MPI_TOTAL_COMM_TIME */
    char node[16];
};

static void opened_done(struct opened *o)
{
    darshan_log_close(o->log);
    strbuf_done(&o->data);
    strbuf_done(&o->faults);
}
DEFINE_AUTO_DONE(struct opened, opened_done);

static void on_fault(void *arg, enum darshan_fault fault, const char *what)
{
    struct opened *o = arg;
    strbuf_addf(&o->faults, "%s: %s\n",
                fault == DARSHAN_FAULT_DAMAGED ? "damaged" : "skipped", what);
}

static int on_record(void *arg, const struct darshan_record *r)
{
    struct opened *o = arg;
    o->heads += r->autoperf->is_head;
    if (r->autoperf->is_head) {
        assert_null(r->counters);
        return 0;
    }
    o->records++;
    o->rank = r->rank;
    o->last = r->counters[r->module->counter_count - 1];
    if (r->module->f_counter_count > 0)
        o->total_s = r->f_counters[APMPI_TIMES + APMPI_SYNC_TIMES];
    (void)snprintf(o->node, sizeof o->node, "%s", r->hostname ? r->hostname : "");
    return 0;
}

static void read_slot(struct log_maker *m, enum darshan_module_id id, struct opened *o)
{
    const struct darshan_opts opts = { .on_fault = on_fault, .arg = o };
    const struct darshan_visitor visitor = { on_record, NULL, o };
    log_job(m, "", "exe\n");
    m->versions[log_slot(m, id)] = 1;
    log_make(m, &o->data);
    assert_int_equal(
        darshan_log_open_memory(o->data.data, o->data.size, &opts, &o->log, NULL), 0);
    assert_int_equal(darshan_log_read(o->log, log_slot(m, id), &visitor), 0);
}

static void put_head(struct log_maker *m, bool has_sync)
{
    struct strbuf *to = &m->slots[log_slot(m, DARSHAN_APMPI)];
    const uint64_t flag = has_sync ? 1 : 0;
    log_u64(m, to, 1);
    log_u64(m, to, 0);
    log_u64(m, to, UINT64_C(0x41504D5049));
    log_u64(m, to, m->is_big ? flag << 32 : flag);
    log_double(m, to, 2.5);
    log_double(m, to, 0.5);
}

static void put_process(struct log_maker *m, uint64_t rank, const char *node)
{
    struct strbuf *to = &m->slots[log_slot(m, DARSHAN_APMPI)];
    log_u64(m, to, 2);
    log_u64(m, to, rank);
    for (size_t i = 0; i < APMPI_COUNTERS; i++)
        log_u64(m, to, 1000 + i);
    for (size_t i = 0; i < APMPI_F_COUNTERS; i++)
        log_double(m, to, (double)i / 4);
    log_text(to, node, 128);
}

static void calls_of_each_process_are_read_in_either_byte_order(void **state)
{
    (void)state;
    for (int is_big = 0; is_big < 2; is_big++) {
        AUTO(log_maker_done) struct log_maker m = { .number = 321, .is_big = is_big };
        AUTO(opened_done) struct opened o = { 0 };
        put_head(&m, false);
        put_process(&m, 0, "nid1");
        put_process(&m, 5, "nid2");
        read_slot(&m, DARSHAN_APMPI, &o);
        assert_int_equal(o.heads, 1);
        assert_int_equal(o.records, 2);
        assert_int_equal(o.rank, 5);
        assert_int_equal(o.last, 1000 + APMPI_COUNTERS - 1);
        assert_true(o.total_s == (APMPI_TIMES + APMPI_SYNC_TIMES) / 4.0);
        assert_string_equal(o.node, "nid2");
        assert_string_equal(strbuf_text(&o.faults), "");
    }
}

static void every_counter_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < APMPI_COUNTERS; i++) {
        assert_non_null(darshan_apmpi_names[i]);
        assert_int_equal(
            darshan_counter_find(darshan_module(DARSHAN_APMPI), darshan_apmpi_names[i]),
            i);
    }
    for (size_t i = 0; i < APMPI_F_COUNTERS; i++)
        assert_int_equal(darshan_f_counter_find(darshan_module(DARSHAN_APMPI),
                                                darshan_apmpi_f_names[i]),
                         i);
    for (size_t i = 0; i < APXC_COUNTERS; i++)
        assert_int_equal(
            darshan_counter_find(darshan_module(DARSHAN_APXC), darshan_apxc_names[i]),
            i);
}

static void times_of_synchronisation_are_there_where_they_were_measured(void **state)
{
    (void)state;
    const struct darshan_autoperf with = { .has_sync = true };
    const struct darshan_autoperf without = { .has_sync = false };
    for (size_t i = 0; i < APMPI_F_COUNTERS; i++) {
        assert_true(darshan_autoperf_has_time(&with, i));
        assert_int_equal(darshan_autoperf_has_time(&without, i),
                         strstr(darshan_apmpi_f_names[i], "SYNC_TIME") == NULL);
    }
}

static void another_layout_is_skipped_and_a_cut_one_is_damaged(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        AUTO(log_maker_done) struct log_maker m = { .number = 341 };
        AUTO(opened_done) struct opened o = { 0 };
        struct strbuf *to = &m.slots[DARSHAN_APMPI];
        put_head(&m, true);
        if (kind == 0)
            put_process(&m, UINT64_C(1) << 40, "nid1"); /* no number of a process */
        else if (kind == 1)
            put_process(&m, 0, ""); /* and no name of a node after it */
        else
            put_process(&m, 0, "nid1");
        if (kind == 1)
            memset(to->data + to->size - 128, 0x7, 128);
        if (kind == 2)
            log_text(to, "the rest is cut", 100);
        if (kind == 3)
            put_process(&m, UINT64_MAX, "nid1");
        read_slot(&m, DARSHAN_APMPI, &o);
        assert_int_equal(o.records, kind < 2 ? 0 : 1);
        assert_string_equal(
            strbuf_text(&o.faults),
            kind < 2
                ? "skipped: APMPI: this layout of its version is not known: skipped\n"
                : "damaged: APMPI: damaged after 1 records\n");
    }
}

static void modes_that_differ_between_nodes_have_their_name_still(void **state)
{
    (void)state;
    const int64_t mixed = INT64_C(1) << 31;
    assert_string_equal(darshan_memory_mode(4), "MM_CACHE");
    assert_string_equal(darshan_memory_mode(4 | mixed), "MM_CACHE");
    assert_string_equal(darshan_cluster_mode(5), "CM_SNC2");
    assert_string_equal(darshan_cluster_mode(77), "UNKNOWN");
    assert_string_equal(darshan_cluster_mode(-1), "UNKNOWN");
    assert_true(darshan_mode_is_everywhere(4));
    assert_false(darshan_mode_is_everywhere(4 | mixed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_each_process_are_read_in_either_byte_order),
        cmocka_unit_test(every_counter_has_a_name_of_its_own),
        cmocka_unit_test(times_of_synchronisation_are_there_where_they_were_measured),
        cmocka_unit_test(another_layout_is_skipped_and_a_cut_one_is_damaged),
        cmocka_unit_test(modes_that_differ_between_nodes_have_their_name_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
