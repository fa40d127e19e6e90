/* SPDX-License-Identifier: Apache-2.0 */
/* profiles - which chunks the start of a dataset reads: part of what the catalogue has
 * of it, not of its image. */
#include "base/clock.h"
#include "base/figure.h"
#include "base/span.h"
#include "base/timetext.h"
#include "dataset/repository/facts.h"

#include <inttypes.h>
#include <pwd.h>
#include <unistd.h>

/* What is read ahead on every node is decided by who has the dataset. */
static int owner_check(struct repository *r, const struct digest *name, struct err *err)
{
    struct dataset_access access = { 0 };
    int rc = repository_access(r, name, &access, err);
    if (rc < 0 || geteuid() == 0 || geteuid() == access.uid)
        return rc;
    return err_set(err, EPERM,
                   "only the dataset's owner, user %u, sets or drops its profile",
                   access.uid);
}

static int profile_row_set(struct repository *r, int64_t dataset, struct span text,
                           const struct start_profile *profile, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int rc = catalogue_prepare(
        r->db,
        "INSERT OR REPLACE INTO profile(dataset, text, chunks, bytes, uid, set_ns)"
        " VALUES(?, ?, ?, ?, ?, ?)",
        &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, dataset);
    catalogue_bind_blob(row, 2, text);
    (void)sqlite3_bind_int64(row, 3, profile->count);
    (void)sqlite3_bind_int64(row, 4, (int64_t)profile->bytes);
    (void)sqlite3_bind_int64(row, 5, geteuid());
    (void)sqlite3_bind_int64(row, 6, clock_now_ns());
    return catalogue_run(row, err);
}

/* What is stored is what was read, not what was written: without what stood twice. */
int repository_profile_set(struct repository *r, const struct digest *name,
                           struct span text, struct err *err)
{
    AUTO(catalogue_change_done) struct catalogue_change change = { 0 };
    AUTO(dataset_index_done) struct dataset_index index = { 0 };
    AUTO(start_profile_done) struct start_profile profile = { 0 };
    AUTO(strbuf_done) struct strbuf stored = STRBUF_INIT;
    int64_t dataset = 0;
    int rc = repository_index(r, name, &index, err);
    if (rc == 0)
        rc = start_profile_parse(text, &index, &profile, err);
    if (rc == 0)
        rc = start_profile_print(name, profile.chunks, profile.count, &stored);
    if (rc == 0)
        rc = catalogue_begin(r->db, &change, err);
    if (rc == 0)
        rc = owner_check(r, name, err);
    if (rc == 0)
        rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = catalogue_exec(r->db, catalogue_profile_table, err);
    if (rc == 0)
        rc = profile_row_set(r, dataset, strbuf_span(&stored), &profile, err);
    return rc < 0 ? rc : catalogue_commit(&change, err);
}

/* 1: *ret is at its row. */
static int profile_row_find(struct repository *r, int64_t dataset, sqlite3_stmt **ret,
                            struct err *err)
{
    int rc = catalogue_has_table(r->db, "profile", err);
    if (rc > 0)
        rc = catalogue_prepare(
            r->db,
            "SELECT text, chunks, bytes, uid, set_ns FROM profile WHERE dataset = ?",
            ret, err);
    if (rc < 0 || !*ret)
        return rc;
    (void)sqlite3_bind_int64(*ret, 1, dataset);
    return catalogue_step(*ret, err);
}

static int profile_absent(struct err *err)
{
    return err_set(
        err, ENODATA,
        "the dataset has no profile (baro dataset profile record makes one)");
}

int repository_profile_drop(struct repository *r, const struct digest *name,
                            struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int64_t dataset = 0;
    int rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = owner_check(r, name, err);
    if (rc == 0)
        rc = catalogue_has_table(r->db, "profile", err);
    if (rc == 0)
        return profile_absent(err);
    if (rc > 0)
        rc = catalogue_prepare(r->db, "DELETE FROM profile WHERE dataset = ?", &row,
                               err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, dataset);
    rc = catalogue_run(row, err);
    return rc == 0 && sqlite3_changes(r->db) == 0 ? profile_absent(err) : rc;
}

int repository_profile(struct repository *r, const struct digest *name,
                       struct strbuf *out, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int64_t dataset = 0;
    int rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = profile_row_find(r, dataset, &row, err);
    if (rc == 0)
        return profile_absent(err);
    if (rc < 0)
        return rc;
    struct span text = catalogue_span(row, 0);
    if (text.size > PROFILE_TEXT_MAX)
        return err_set(err, EUCLEAN, "catalogue: a profile of %zu bytes", text.size);
    strbuf_add_span(out, text);
    return strbuf_error(out);
}

int facts_profile_add(struct repository *r, int64_t dataset, struct table *out,
                      struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    char text[256], bytes[FIGURE_SIZE], when[TIMETEXT_SIZE];
    int rc = profile_row_find(r, dataset, &row, err);
    if (rc <= 0)
        return rc;
    const struct passwd *user = getpwuid((uid_t)sqlite3_column_int64(row, 3));
    figure_print_bytes(bytes, sizeof bytes, (double)sqlite3_column_int64(row, 2));
    (void)timetext_print(when, sqlite3_column_int64(row, 4));
    (void)snprintf(text, sizeof text, "%" PRId64 " chunks, %s, by %s, %s",
                   (int64_t)sqlite3_column_int64(row, 1), bytes,
                   user ? user->pw_name : "a user without a name", when);
    table_add_row(out);
    table_set_text(out, 0, SPAN("profile"));
    table_set_text(out, 1, span_of(text));
    return 0;
}
