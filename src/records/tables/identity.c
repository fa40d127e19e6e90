/* SPDX-License-Identifier: Apache-2.0 */
/* identity - is this the database that we wrote to, and as far as we wrote? */
#include "records/tables/identity.h"

#include "base/timetext.h"
#include "model/model.h"

static bool is_same(const struct uuid *a, const struct uuid *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* 0: it cannot be compared. */
static bool is_other(int64_t a, int64_t b)
{
    return a && b && a != b;
}

static void lost_add(const struct database_identity *want,
                     const struct database_identity *have, struct strbuf *why)
{
    char newest[TIMETEXT_SIZE] = "none", last[TIMETEXT_SIZE] = "before barod started";
    if (have->arrived_ms != T_NONE)
        (void)timetext_print_ms(newest, have->arrived_ms);
    if (want->arrived_ms != T_NONE)
        (void)timetext_print_ms(last, want->arrived_ms);
    strbuf_addf(why,
                "it is an older copy: %lld transactions that were acknowledged are not "
                "in it (newest batch in it: %s; newest acknowledged: %s); their rows "
                "are lost where no other copy has them",
                (long long)(want->epoch - have->epoch), newest, last);
}

enum identity_difference identity_compare(const struct database_identity *want,
                                          const struct uuid *pending,
                                          const struct database_identity *have)
{
    bool is_as_left =
        (have->epoch == want->epoch && is_same(&have->writer, &want->writer)) ||
        (pending && have->epoch == want->epoch + 1 && is_same(&have->writer, pending));
    if (!is_same(&want->id, &have->id))
        return IDENTITY_OTHER;
    if (have->epoch < want->epoch)
        return IDENTITY_OLDER;
    if (!is_as_left)
        return IDENTITY_WRITTEN;
    if (is_other(want->system, have->system))
        return IDENTITY_MOVED;
    return is_other(want->timeline, have->timeline) ? IDENTITY_FAILED_OVER
                                                    : IDENTITY_SAME;
}

void identity_explain(enum identity_difference difference,
                      const struct database_identity *want,
                      const struct database_identity *have, struct strbuf *why)
{
    switch (difference) {
    case IDENTITY_SAME:
        break;
    case IDENTITY_OTHER:
        strbuf_adds(why, "it is another database (its identity is another)");
        break;
    case IDENTITY_OLDER:
        lost_add(want, have, why);
        break;
    case IDENTITY_WRITTEN:
        strbuf_adds(why, "another program has written to it meanwhile, perhaps after "
                         "it was restored from a copy");
        break;
    case IDENTITY_MOVED:
        strbuf_adds(why, "it is on another server (restored there); nothing that was "
                         "acknowledged is missing");
        break;
    case IDENTITY_FAILED_OVER:
        strbuf_addf(why,
                    "it has failed over (timeline %lld to %lld); nothing that was "
                    "acknowledged is missing",
                    (long long)want->timeline, (long long)have->timeline);
        break;
    }
}

bool identity_is_next(const struct database_identity *want, const struct uuid *id,
                      int64_t epoch)
{
    return epoch == want->epoch + 1 && is_same(id, &want->id);
}
