/* SPDX-License-Identifier: Apache-2.0 */
/* test_binary - PostgreSQL's binary forms and messages, without a server. */
#include "records/postgres/binary.h"

#include "base/err.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "model/model.h"
#include "records/postgres/message.h"

#include <errno.h>

static void arguments_are_in_network_order(void **state)
{
    (void)state;
    static const struct uuid uuid = { .bytes = { 1, 2, 3 } };
    struct pg_args args = { 0 };
    pg_add_span(&args, SPAN("text"));
    pg_add_span(&args, (struct span){ 0 });
    pg_add_i64(&args, 0x0102030405060708);
    pg_add_i64(&args, -2);
    pg_add_time(&args, PG_EPOCH_MS + 1);
    pg_add_uuid(&args, &uuid);
    assert_int_equal(args.count, 6);
    assert_int_equal(args.types[0], PG_OID_TEXT);
    assert_int_equal(args.sizes[0], 4);
    assert_null(args.values[1]);
    assert_memory_equal(args.values[2], "\1\2\3\4\5\6\7\10", 8);
    assert_memory_equal(args.values[3], "\xff\xff\xff\xff\xff\xff\xff\xfe", 8);
    assert_int_equal(args.types[4], PG_OID_TIMESTAMPTZ);
    assert_memory_equal(args.values[4], "\0\0\0\0\0\0\3\xe8", 8); /* 1000 us */
    assert_int_equal(args.types[5], PG_OID_UUID);
    assert_int_equal(args.sizes[5], 16);
    for (int i = 0; i < args.count; i++)
        assert_int_equal(args.formats[i], 1);
}

static void arrays_have_a_head_and_fields(void **state)
{
    (void)state;
    static const char want[] = "\0\0\0\1\0\0\0\1\0\0\0\24\0\0\0\2\0\0\0\1" /* head */
                               "\0\0\0\10\0\0\0\0\0\0\0\5"                 /* 5 */
                               "\xff\xff\xff\xff";                         /* null */
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    pg_put_array(&out, PG_OID_INT8, 2);
    pg_put_field_i64(&out, 5);
    pg_put_field(&out, (struct span){ 0 });
    assert_int_equal(strbuf_span(&out).size, sizeof want - 1);
    assert_memory_equal(strbuf_span(&out).data, want, sizeof want - 1);
    strbuf_clear(&out);
    pg_put_array(&out, PG_OID_INT8, 0); /* no dimension */
    assert_int_equal(strbuf_span(&out).size, 12);
    assert_memory_equal(strbuf_span(&out).data, "\0\0\0\0", 4);
}

static void a_copy_has_its_signature(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    pg_put_copy_head(&out);
    pg_put_i16(&out, -1);
    assert_int_equal(strbuf_span(&out).size, 21);
    assert_memory_equal(strbuf_span(&out).data, "PGCOPY\n\377\r\n\0", 11);
    assert_memory_equal(strbuf_span(&out).data + 19, "\xff\xff", 2);
    strbuf_clear(&out);
    pg_put_field(&out, SPAN(""));
    assert_memory_equal(strbuf_span(&out).data, "\0\0\0\0", 4); /* empty, not null */
    strbuf_clear(&out);
    pg_put_field_time(&out, PG_EPOCH_MS - 1);
    assert_memory_equal(strbuf_span(&out).data + 4, "\xff\xff\xff\xff\xff\xff\xfc\x18",
                        8);
}

static void set(PGresult *result, int column, const char *bytes, int size)
{
    char copy[32] = { 0 };
    if (size > 0)
        memcpy(copy, bytes, (size_t)size);
    assert_int_equal(PQsetvalue(result, 0, column, copy, size), 1);
}

static void results_are_read_whatever_their_width(void **state)
{
    (void)state;
    AUTO_RESULT PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    PGresAttDesc columns[7] = { 0 };
    char name[] = "c";
    for (size_t i = 0; i < COUNT_OF(columns); i++)
        columns[i].name = name;
    assert_int_equal(PQsetResultAttrs(result, COUNT_OF(columns), columns), 1);
    set(result, 0, "\xff\xfe", 2);
    set(result, 1, "\0\0\1\0", 4);
    set(result, 2, "\0\0\0\0\0\0\3\xe8", 8);
    set(result, 3, NULL, -1);
    set(result, 4, "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20", 16);
    set(result, 5, "", 0);
    set(result, 6, "\1", 1);
    assert_int_equal(pg_i64(result, 0, 0), -2);
    assert_int_equal(pg_i64(result, 0, 1), 256);
    assert_int_equal(pg_i64(result, 0, 6), 1); /* a boolean */
    assert_int_equal(pg_time(result, 0, 2), PG_EPOCH_MS + 1);
    assert_int_equal(pg_time(result, 0, 3), T_NONE);
    assert_true(pg_is_null(result, 0, 3));
    assert_null(pg_span(result, 0, 3).data);
    assert_non_null(pg_span(result, 0, 5).data); /* empty is no null */
    struct uuid uuid;
    pg_uuid(result, 0, 4, &uuid);
    assert_int_equal(uuid.bytes[15], 16);
    pg_uuid(result, 0, 1, &uuid); /* too short: zeroes */
    assert_int_equal(uuid.bytes[2], 0);
}

static void states_become_error_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *state, *message;
        int want;
    } cases[] = {
        { "08006", "connection failure", EAGAIN },
        { "40P01", "deadlock detected", EAGAIN },
        { "53100", "could not extend file: No space left on device", ENOSPC },
        { "53200", "out of memory", EAGAIN },
        { "XX001", "invalid page in block 3", EUCLEAN },
        { "XX000", "could not write: Disk quota exceeded", ENOSPC },
        { "XX000", "cache lookup failed", EIO },
        { "XX000", NULL, EIO },
        { "23505", "duplicate key value", EEXIST },
        { "28P01", "password authentication failed", EACCES },
        { "42501", "permission denied for table series", EACCES },
        { "42601", "syntax error", EIO },
        { "25006", "cannot execute INSERT in a read-only transaction", EAGAIN },
        { NULL, NULL, EIO },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (pg_state_errnum(cases[i].state, cases[i].message) != cases[i].want)
            fail_msg("%s: %d", cases[i].state,
                     pg_state_errnum(cases[i].state, cases[i].message));
}

static void a_message_is_one_line_without_secrets(void **state)
{
    (void)state;
    struct err err = { 0 };
    assert_int_equal(pg_message_error(&err, EAGAIN, "server is down\nDETAIL: x\n"),
                     -EAGAIN);
    assert_string_equal(err.text, "postgres: server is down");
    assert_int_equal(pg_message_error(&err, EIO, "at postgresql://u:hunter2@db/x"),
                     -EIO);
    assert_null(strstr(err.text, "hunter2"));
    assert_int_equal(pg_message_error(NULL, EIO, NULL), -EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_in_network_order),
        cmocka_unit_test(arrays_have_a_head_and_fields),
        cmocka_unit_test(a_copy_has_its_signature),
        cmocka_unit_test(results_are_read_whatever_their_width),
        cmocka_unit_test(states_become_error_numbers),
        cmocka_unit_test(a_message_is_one_line_without_secrets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
