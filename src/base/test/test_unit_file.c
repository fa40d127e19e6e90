/* SPDX-License-Identifier: Apache-2.0 */
/* test_unit_file - MemoryMax of installed units and their drop-ins. */
#include "base/cleanup.h"
#include "base/file.h"
#include "base/system/unit_file.h"
#include "base/test/testing.h"

#include <stdlib.h>

#define UNIT "/systemd/system/barod.service"
#define GIB (UINT64_C(1) << 30)

struct tree_file {
    const char *path, *text;
};

static void put_file(const char *root, const struct tree_file *file)
{
    char path[300];
    struct err err = { 0 };
    (void)snprintf(path, sizeof path, "%s%s", root, file->path);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    assert_int_equal(file_make_dirs(path, 0700, &err), 0);
    *slash = '/';
    if (file_replace(path, file->text, strlen(file->text), 0600, &err) < 0)
        fail_msg("%s", err.text);
}

static void the_last_memory_max_holds(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct tree_file files[4];
        uint64_t want;
        const char *where; /* NULL: no unit */
    } cases[] = {
        { "no unit", { { 0 } }, UNIT_FILE_UNLIMITED, NULL },
        { "as shipped",
          { { "/usr/lib" UNIT, "[Service]\nMemoryMax=5G\nTasksMax=3\n" } },
          5 * GIB,
          "/usr/lib" UNIT },
        { "a unit without a limit",
          { { "/lib" UNIT, "[Service]\nUser=x\n" } },
          UNIT_FILE_UNLIMITED,
          "/lib" UNIT },
        { "a unit of the administrator replaces it",
          { { "/usr/lib" UNIT, "MemoryMax=5G\n" },
            { "/etc" UNIT, "MemoryMax = 512M\n" } },
          GIB / 2,
          "/etc" UNIT },
        { "even one without a limit",
          { { "/usr/lib" UNIT, "MemoryMax=5G\n" }, { "/etc" UNIT, "User=x\n" } },
          UNIT_FILE_UNLIMITED,
          "/etc" UNIT },
        { "a drop-in",
          { { "/usr/lib" UNIT, "MemoryMax=5G\n" },
            { "/etc" UNIT ".d/20-more.conf", "[Service]\nMemoryMax=9G\n" },
            { "/etc" UNIT ".d/10-less.conf", "[Service]\nMemoryMax=1G\n" },
            { "/etc" UNIT ".d/30.not", "MemoryMax=1G\n" } },
          9 * GIB,
          ".d/20-more.conf" },
        { "infinity",
          { { "/usr/lib" UNIT, "MemoryMax=5G\n" },
            { "/run" UNIT ".d/a.conf", "MemoryMax=infinity\n" } },
          UNIT_FILE_UNLIMITED,
          ".d/a.conf" },
        { "a part of the machine's memory",
          { { "/usr/lib" UNIT, "MemoryMax=25%\n" } },
          2 * GIB / 100 * 25,
          "/usr/lib" UNIT },
        { "bytes, and a comment",
          { { "/usr/lib" UNIT, "#MemoryMax=7\nMemoryMax=1000000\n" } },
          1000000,
          "/usr/lib" UNIT },
        { "what is no size",
          { { "/usr/lib" UNIT, "MemoryMax=lots\n" } },
          UNIT_FILE_UNLIMITED,
          "/usr/lib" UNIT },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(strbuf_done) struct strbuf where = STRBUF_INIT;
        char root[] = "/tmp/baro-test-unit.XXXXXX", command[64];
        assert_non_null(mkdtemp(root));
        for (size_t f = 0; f < 4 && cases[i].files[f].path; f++)
            put_file(root, &cases[i].files[f]);
        uint64_t got = unit_file_memory_max(root, "barod.service", 2 * GIB, &where);
        (void)snprintf(command, sizeof command, "rm -rf %s", root);
        assert_int_equal(system(command), 0);
        bool is_right = cases[i].where
                            ? strstr(strbuf_text(&where), cases[i].where) != NULL
                            : where.size == 0;
        if (got != cases[i].want || !is_right)
            fail_msg("%s: got %llu at '%s'", cases[i].name, (unsigned long long)got,
                     strbuf_text(&where));
    }
}

static void a_path_is_read_as_it_is(void **state)
{
    (void)state;
    char root[] = "/tmp/baro-test-unit.XXXXXX", path[64], command[64];
    AUTO(strbuf_done) struct strbuf where = STRBUF_INIT;
    assert_non_null(mkdtemp(root));
    put_file(root, &(struct tree_file){ "/x.service", "MemoryMax=3G\n" });
    put_file(root, &(struct tree_file){ "/x.service.d/a.conf", "MemoryMax=2G\n" });
    (void)snprintf(path, sizeof path, "%s/x.service", root);
    uint64_t got = unit_file_memory_max("", path, GIB, &where);
    (void)snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(system(command), 0);
    assert_int_equal(got, 2 * GIB);
    assert_non_null(strstr(strbuf_text(&where), "x.service.d/a.conf"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_memory_max_holds),
        cmocka_unit_test(a_path_is_read_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
