/* SPDX-License-Identifier: Apache-2.0 */
/* test_log_list - which logs operands name: files, directories, and what is known. */
#include "base/file.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "client/job/job.h"

#include <sys/stat.h>

static char scratch[64];

static void file_put(const char *name)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", scratch, name);
    assert_int_equal(file_replace(path, "x", 1, 0600, NULL), 0);
}

static int scratch_make(void **state)
{
    (void)state;
    char path[256];
    (void)snprintf(scratch, sizeof scratch, "/tmp/baro-logs.XXXXXX");
    if (!mkdtemp(scratch))
        return -1;
    (void)snprintf(path, sizeof path, "%s/day", scratch);
    if (mkdir(path, 0700) < 0)
        return -1;
    file_put("b.darshan");
    file_put("a.darshan");
    file_put("notes.txt");
    file_put(".darshan"); /* a suffix alone is no name */
    file_put("day/c.darshan");
    return 0;
}

static int scratch_remove(void **state)
{
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r '%s'", scratch);
    return system(command) == 0 ? 0 : -1;
}

static void names_are(const struct log_list *list, const char *want)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    for (size_t i = 0; i < list->count; i++)
        strbuf_addf(&names, "%s%s", i > 0 ? " " : "",
                    list->paths[i] + (span_starts(span_of(list->paths[i]), scratch)
                                          ? strlen(scratch) + 1
                                          : 0));
    assert_string_equal(strbuf_text(&names), want);
}

static void of_directories_logs_come_in_the_order_of_their_names(void **state)
{
    (void)state;
    AUTO(log_list_done) struct log_list list = { 0 };
    char *const operands[] = { scratch };
    size_t unread = 7;
    assert_int_equal(log_list_make(operands, 1, &list, &unread, NULL, NULL, NULL), 0);
    names_are(&list, "a.darshan b.darshan day/c.darshan");
    assert_true(list.is_walked);
    assert_int_equal(unread, 0);
}

static void a_file_is_taken_whatever_it_is_called(void **state)
{
    (void)state;
    AUTO(log_list_done) struct log_list list = { 0 };
    char first[] = "no-such-file", second[] = "x.txt";
    char *const operands[] = { second, first };
    size_t unread;
    assert_int_equal(log_list_make(operands, 2, &list, &unread, NULL, NULL, NULL), 0);
    names_are(&list, "x.txt no-such-file");
    assert_false(list.is_walked);
    assert_int_equal(log_list_resolve(&list, NULL),
                     0); /* neither is there: as they are */
    names_are(&list, "x.txt no-such-file");
}

static bool is_b(void *arg, const char *log)
{
    ++*(size_t *)arg;
    return span_ends(span_of(log), "b.darshan");
}

static void what_is_known_is_dropped_and_the_rest_stays_in_order(void **state)
{
    (void)state;
    AUTO(log_list_done) struct log_list list = { 0 };
    char *const operands[] = { scratch };
    size_t unread, calls = 0;
    assert_int_equal(log_list_make(operands, 1, &list, &unread, NULL, NULL, NULL), 0);
    assert_int_equal(log_list_drop(&list, is_b, &calls), 1);
    assert_int_equal(calls, 3);
    names_are(&list, "a.darshan day/c.darshan");
    assert_int_equal(log_list_drop(&list, is_b, &calls), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_directories_logs_come_in_the_order_of_their_names),
        cmocka_unit_test(a_file_is_taken_whatever_it_is_called),
        cmocka_unit_test(what_is_known_is_dropped_and_the_rest_stays_in_order),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
