/* SPDX-License-Identifier: Apache-2.0 */
/* test_identity - a database is recognised by what was left in it. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "model/model.h"
#include "records/tables/identity.h"

static struct uuid uuid_of(uint8_t first)
{
    return (struct uuid){ .bytes = { first } };
}

/* What was left: database 1, epoch 100 by writer 7, server 5 on timeline 2. */
static void a_database_is_known_again_by_its_identity(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint8_t id, writer;
        int64_t epoch, system, timeline;
        bool in_doubt;
        const char *why; /* NULL: it is the one */
    } cases[] = {
        { "as it was left", 1, 7, 100, 5, 2, false, NULL },
        { "the server's identity is not told", 1, 7, 100, 0, 0, false, NULL },
        { "the commit in doubt was one", 1, 8, 101, 5, 2, true, NULL },
        { "the commit in doubt was none", 1, 7, 100, 5, 2, true, NULL },
        { "two more than the doubt explains", 1, 8, 102, 5, 2, true,
          "another program" },
        { "one more without a doubt", 1, 8, 101, 5, 2, false, "another program" },
        { "one more, of another writer", 1, 9, 101, 5, 2, true, "another program" },
        { "the same epoch by another", 1, 9, 100, 5, 2, false, "another program" },
        { "an older copy", 1, 7, 97, 5, 2, false, "3 transactions" },
        { "an older copy of another server", 1, 7, 99, 6, 1, false, "1 transactions" },
        { "another database", 2, 7, 100, 5, 2, false, "its identity" },
        { "another server", 1, 7, 100, 6, 2, false, "another server" },
        { "a standby, promoted", 1, 7, 100, 5, 3, false, "timeline 2 to 3" },
    };
    const struct database_identity want = { .id = uuid_of(1),
                                            .writer = uuid_of(7),
                                            .epoch = 100,
                                            .system = 5,
                                            .timeline = 2,
                                            .arrived_ms = T_NONE };
    const struct uuid pending = uuid_of(8);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf why = STRBUF_INIT;
        const struct database_identity have = { .id = uuid_of(cases[i].id),
                                                .writer = uuid_of(cases[i].writer),
                                                .epoch = cases[i].epoch,
                                                .system = cases[i].system,
                                                .timeline = cases[i].timeline,
                                                .arrived_ms = T_NONE };
        enum identity_difference difference =
            identity_compare(&want, cases[i].in_doubt ? &pending : NULL, &have);
        identity_explain(difference, &want, &have, &why);
        bool differs = difference != IDENTITY_SAME;
        if (differs != (cases[i].why != NULL) ||
            (differs && !strstr(strbuf_text(&why), cases[i].why)))
            fail_msg("%s: %d, '%s'", cases[i].name, differs, strbuf_text(&why));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_database_is_known_again_by_its_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
