/* SPDX-License-Identifier: Apache-2.0 */
/* refs - tags, and references of jobs, mounts and people: why a dataset stays. */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "dataset/repository/facts.h"

#include <inttypes.h>
#include <pwd.h>
#include <string.h>

#define LEASES_MAX 200000

static int tag_remove(struct repository *r, const char *tag, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int rc =
        catalogue_prepare(r->db, "DELETE FROM tag WHERE name = ?", &statement, err);
    if (rc < 0)
        return rc;
    catalogue_bind_text(statement, 1, span_of(tag));
    rc = catalogue_run(statement, err);
    if (rc == 0 && sqlite3_changes(r->db) == 0)
        return err_set(err, ENOENT, "there is no tag '%s'", tag);
    return rc;
}

/* One transaction each, and not the writer's lock, which a create may have for long: gc
 * decides in one transaction which datasets it removes, so that a reference is there
 * before it decides, or finds no dataset any more. */
int repository_tag(struct repository *r, const char *tag, const struct digest *name,
                   struct err *err)
{
    AUTO(catalogue_change_done) struct catalogue_change change = { 0 };
    int64_t dataset = 0;
    int rc = facts_tag_check(tag, err);
    if (rc == 0)
        rc = catalogue_begin(r->db, &change, err);
    if (rc == 0 && name)
        rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = name ? facts_tag_set(r, dataset, tag, err) : tag_remove(r, tag, err);
    return rc < 0 ? rc : catalogue_commit(&change, err);
}

/* The clock is read in the transaction: what lasts an hour does so from when it is
 * there, however long the wait for it was. */
static int ends_at(int64_t now_ns, int64_t lasts_ns, int64_t *ret, struct err *err)
{
    return __builtin_add_overflow(now_ns, lasts_ns, ret)
               ? err_set(err, EINVAL,
                         "a reference cannot last so long: write a shorter time, or "
                         "none for one without an end")
               : 0;
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

static int ref_insert(struct repository *r, int64_t dataset,
                      const struct dataset_ref *ref, uid_t uid, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    const struct passwd *user = getpwuid(uid);
    char number[16];
    (void)snprintf(number, sizeof number, "%u", uid);
    int64_t now_ns = clock_now_ns(), end_ns = 0;
    int rc = ends_at(now_ns, ref->lasts_ns, &end_ns, err);
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
    catalogue_bind_text(statement, 4, span_of(user ? user->pw_name : number));
    (void)sqlite3_bind_int64(statement, 5, now_ns);
    if (ref->lasts_ns > 0)
        (void)sqlite3_bind_int64(statement, 6, end_ns);
    return catalogue_run(statement, err);
}

int repository_ref(struct repository *r, const struct digest *name,
                   const struct dataset_ref *ref, uint64_t *ret_id, struct err *err)
{
    AUTO(catalogue_change_done) struct catalogue_change change = { 0 };
    int64_t dataset = 0;
    int rc = ref_check(ref, err);
    if (rc == 0)
        rc = catalogue_begin(r->db, &change, err);
    if (rc == 0)
        rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = ref_insert(r, dataset, ref, geteuid(), err);
    uint64_t id = (uint64_t)sqlite3_last_insert_rowid(r->db);
    if (rc == 0)
        rc = catalogue_commit(&change, err);
    if (rc == 0)
        *ret_id = id;
    return rc;
}

static int no_ref(uint64_t id, struct err *err)
{
    return err_set(err, ENOENT,
                   "there is no reference %" PRIu64 ": baro dataset show prints those "
                   "of a dataset",
                   id);
}

static int ref_end_set(struct repository *r, uint64_t id, int64_t end_ns,
                       struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *change = NULL;
    int rc = catalogue_prepare(r->db, "UPDATE ref SET expires_ns = ? WHERE id = ?",
                               &change, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(change, 1, end_ns);
    (void)sqlite3_bind_int64(change, 2, (int64_t)id);
    return catalogue_run(change, err);
}

/* A reference that has an end: one without would get one, and its dataset be lost. */
static int ref_need_end(struct repository *r, uint64_t id, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int rc =
        catalogue_prepare(r->db, "SELECT expires_ns FROM ref WHERE id = ?", &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, (int64_t)id);
    rc = catalogue_step(row, err);
    if (rc == 0)
        return no_ref(id, err);
    if (rc > 0 && sqlite3_column_type(row, 0) == SQLITE_NULL)
        return err_set(err, EINVAL,
                       "reference %" PRIu64
                       " has no end and needs no renewal: baro dataset unref removes "
                       "it",
                       id);
    return rc < 0 ? rc : 0;
}

int repository_ref_renew(struct repository *r, uint64_t id, int64_t lasts_ns,
                         struct err *err)
{
    AUTO(catalogue_change_done) struct catalogue_change change = { 0 };
    int64_t end_ns = 0;
    int rc = catalogue_begin(r->db, &change, err);
    if (rc == 0)
        rc = ref_need_end(r, id, err);
    if (rc == 0)
        rc = ends_at(clock_now_ns(), lasts_ns, &end_ns, err);
    if (rc == 0)
        rc = ref_end_set(r, id, end_ns, err);
    return rc < 0 ? rc : catalogue_commit(&change, err);
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

/* ---- leases ---- */

/* Who holds one: a node's agent, or a job there. */
struct lease_holder {
    char detail[DATASET_TEXT_MAX];
    uid_t uid;
    struct dataset_ref ref;
};

/* "job:ID:UID:NODE"; a host may be called job. */
static bool job_holder_parse(const char *text, struct lease_holder *ret)
{
    struct span job, user, rest = span_of(text);
    uint64_t id = 0, uid = 0;
    if (!span_starts(rest, REPOSITORY_HOLDER_OF_JOB))
        return false;
    rest.data += strlen(REPOSITORY_HOLDER_OF_JOB);
    rest.size -= strlen(REPOSITORY_HOLDER_OF_JOB);
    (void)span_cut(&rest, ':', &job);
    (void)span_cut(&rest, ':', &user);
    if (number_parse_u64(job, &id) < 0 || number_parse_u64(user, &uid) < 0 ||
        uid >= UINT32_MAX || rest.size == 0)
        return false;
    (void)snprintf(ret->detail, sizeof ret->detail, "%" PRIu64 " %.*s", id,
                   (int)rest.size, rest.data);
    ret->uid = (uid_t)uid;
    return true;
}

static int holder_parse(const char *text, int64_t lasts_ns, struct lease_holder *ret,
                        struct err *err)
{
    bool is_job = job_holder_parse(text, ret);
    if (!is_job) {
        (void)snprintf(ret->detail, sizeof ret->detail, "%s", text);
        ret->uid = geteuid();
    }
    if (is_job && lasts_ns && lasts_ns != INT64_MAX)
        return err_set(err, EINVAL, "a job's reference has no end: '%s'", text);
    ret->ref = (struct dataset_ref){ is_job ? "job" : "mount", ret->detail,
                                     is_job ? 0 : lasts_ns };
    return 0;
}

/* 1: there was one. */
static int lease_change(struct repository *r, int64_t dataset,
                        const struct lease_holder *holder, bool is_end, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int64_t end_ns = 0;
    int rc = ends_at(clock_now_ns(), holder->ref.lasts_ns, &end_ns, err);
    if (rc == 0)
        rc = catalogue_prepare(
            r->db,
            is_end ? "DELETE FROM ref WHERE dataset = ?1 AND kind = ?4 AND detail = ?2"
                   : "UPDATE ref SET expires_ns = ?3 WHERE dataset = ?1 AND"
                     " kind = ?4 AND detail = ?2",
            &statement, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(statement, 1, dataset);
    catalogue_bind_text(statement, 2, span_of(holder->detail));
    catalogue_bind_text(statement, 4, span_of(holder->ref.kind));
    if (!is_end && holder->ref.lasts_ns)
        (void)sqlite3_bind_int64(statement, 3, end_ns);
    rc = catalogue_run(statement, err);
    return rc < 0 ? rc : sqlite3_changes(r->db) > 0;
}

int facts_expired_mounts_remove(struct repository *r, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int rc = catalogue_prepare(
        r->db, "DELETE FROM ref WHERE kind = 'mount' AND expires_ns <= ?", &statement,
        err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(statement, 1, clock_now_ns());
    return catalogue_run(statement, err);
}

static int leases_count(struct repository *r, const char *kind, int64_t *ret,
                        struct err *err)
{
    return catalogue_number(r->db,
                            strcmp(kind, "job")
                                ? "SELECT count(*) FROM ref WHERE kind = 'mount'"
                                : "SELECT count(*) FROM ref WHERE kind = 'job'",
                            ret, err);
}

/* Each client of a server can have leases: all together are bounded.  Those that have
 * ended, of nodes that are gone, make way for others. */
static int leases_check(struct repository *r, const char *kind, struct err *err)
{
    int64_t count = 0;
    int rc = leases_count(r, kind, &count, err);
    if (rc == 0 && count >= LEASES_MAX)
        rc = facts_expired_mounts_remove(r, err);
    if (rc == 0 && count >= LEASES_MAX)
        rc = leases_count(r, kind, &count, err);
    if (rc == 0 && count >= LEASES_MAX)
        return err_set(err, ENOSPC,
                       "there are %" PRId64 " references of %ss that have not "
                       "ended, as many as may be",
                       count, kind);
    return rc;
}

static int lease_write(struct repository *r, const struct digest *name,
                       const char *text, int64_t lasts_ns, struct err *err)
{
    AUTO(catalogue_change_done) struct catalogue_change change = { 0 };
    struct lease_holder holder;
    int64_t dataset = 0;
    int rc = holder_parse(text, lasts_ns, &holder, err);
    if (rc == 0 && lasts_ns)
        rc = ref_check(&holder.ref, err);
    if (rc == 0)
        rc = catalogue_begin(r->db, &change, err);
    if (rc == 0)
        rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = lease_change(r, dataset, &holder, !lasts_ns, err);
    if (rc == 0 && lasts_ns)
        rc = leases_check(r, holder.ref.kind, err);
    if (rc == 0 && lasts_ns)
        rc = ref_insert(r, dataset, &holder.ref, holder.uid, err);
    return rc < 0 ? rc : catalogue_commit(&change, err);
}

int repository_lease(struct repository *r, const struct digest *name,
                     const char *holder, int64_t lasts_ns, struct err *err)
{
    catalogue_set_wait(r->db, true);
    int rc = lease_write(r, name, holder, lasts_ns, err);
    catalogue_set_wait(r->db, false);
    return rc;
}

int repository_ref_parse(const char *text, uint64_t *ret, struct err *err)
{
    return number_parse_u64(span_of(text), ret) < 0
               ? err_set(err, EINVAL, "\"%s\" is no number of a reference", text)
               : 0;
}
