/* SPDX-License-Identifier: Apache-2.0 */
/* refs - tags, and references of jobs, mounts and people: why a dataset stays. */
#include "base/clock.h"
#include "base/span.h"
#include "dataset/repository/facts.h"

#include <inttypes.h>
#include <pwd.h>
#include <string.h>

/* The writer's lock: gc decides and removes under it, so that a reference is there
 * before it decides, or finds no dataset any more. */
int repository_tag(struct repository *r, const char *tag, const struct digest *name,
                   struct err *err)
{
    AUTO_CLOSE int lock = -1;
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int64_t dataset = 0;
    int rc = facts_tag_check(tag, err);
    if (rc == 0)
        rc = chunk_store_lock_writer(r, &lock, err);
    if (rc < 0)
        return rc;
    if (name) {
        rc = facts_need(r, name, &dataset, err);
        return rc < 0 ? rc : facts_tag_set(r, dataset, tag, err);
    }
    rc = catalogue_prepare(r->db, "DELETE FROM tag WHERE name = ?", &statement, err);
    if (rc < 0)
        return rc;
    catalogue_bind_text(statement, 1, span_of(tag));
    rc = catalogue_run(statement, err);
    if (rc == 0 && sqlite3_changes(r->db) == 0)
        return err_set(err, ENOENT, "there is no tag '%s'", tag);
    return rc;
}

static int ref_check(const struct dataset_ref *ref, struct err *err)
{
    static const char *const kinds[] = { "job", "mount", "hold" };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (!strcmp(kinds[i], ref->kind)) {
            if (strlen(ref->detail) > DATASET_TEXT_MAX)
                return err_set(err, EINVAL, "more than %d characters of a reference",
                               DATASET_TEXT_MAX);
            if (!strcmp(ref->kind, "mount") && ref->lasts_ns <= 0)
                return err_set(err, EINVAL,
                               "the reference of a mount needs how long it lasts, and "
                               "is renewed before it ends");
            return 0;
        }
    return err_set(err, EINVAL,
                   "invalid kind \"%s\" of a reference (choose job, mount, "
                   "hold)",
                   ref->kind);
}

int repository_ref(struct repository *r, const struct digest *name,
                   const struct dataset_ref *ref, uint64_t *ret_id, struct err *err)
{
    AUTO_CLOSE int lock = -1;
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    const struct passwd *user = getpwuid(geteuid());
    int64_t dataset = 0, now_ns = clock_now_ns();
    int rc = ref_check(ref, err);
    if (rc == 0)
        rc = chunk_store_lock_writer(r, &lock, err);
    if (rc == 0)
        rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = catalogue_prepare(r->db,
                               "INSERT INTO ref(dataset, kind, detail, owner,"
                               " created_ns, expires_ns) VALUES(?, ?, ?, ?, ?, ?)",
                               &statement, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(statement, 1, dataset);
    catalogue_bind_text(statement, 2, span_of(ref->kind));
    catalogue_bind_text(statement, 3, span_of(ref->detail));
    catalogue_bind_text(statement, 4, span_of(user ? user->pw_name : "unknown"));
    (void)sqlite3_bind_int64(statement, 5, now_ns);
    if (ref->lasts_ns > 0)
        (void)sqlite3_bind_int64(statement, 6, now_ns + ref->lasts_ns);
    rc = catalogue_run(statement, err);
    if (rc == 0)
        *ret_id = (uint64_t)sqlite3_last_insert_rowid(r->db);
    return rc;
}

static int no_ref(uint64_t id, struct err *err)
{
    return err_set(err, ENOENT,
                   "there is no reference %" PRIu64 ": baro dataset show prints those "
                   "of a dataset",
                   id);
}

int repository_ref_renew(struct repository *r, uint64_t id, int64_t lasts_ns,
                         struct err *err)
{
    AUTO_CLOSE int lock = -1;
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int rc = chunk_store_lock_writer(r, &lock, err);
    if (rc == 0)
        rc = catalogue_prepare(r->db, "UPDATE ref SET expires_ns = ? WHERE id = ?",
                               &statement, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(statement, 1, clock_now_ns() + lasts_ns);
    (void)sqlite3_bind_int64(statement, 2, (int64_t)id);
    rc = catalogue_run(statement, err);
    return rc == 0 && sqlite3_changes(r->db) == 0 ? no_ref(id, err) : rc;
}

int repository_unref(struct repository *r, uint64_t id, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int rc = catalogue_prepare(r->db, "DELETE FROM ref WHERE id = ?", &statement, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(statement, 1, (int64_t)id);
    rc = catalogue_run(statement, err);
    return rc == 0 && sqlite3_changes(r->db) == 0 ? no_ref(id, err) : rc;
}
