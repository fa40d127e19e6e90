/* SPDX-License-Identifier: Apache-2.0 */
/* push_admit - what was pushed becomes a dataset, or is refused. */
#include "base/number.h"
#include "base/span.h"
#include "dataset/repository/facts.h"
#include "dataset/repository/owners.h"
#include "dataset/repository/push_store.h"
#include "dataset/repository/quota.h"

#include <pwd.h>
#include <string.h>

#define USER_SIZE 64
#define WRITER_WAIT_NS (INT64_C(30) * 1000000000) /* others wait for the admitter */

/* ---- who, and by which name ---- */

static void user_print(uint32_t uid, char out[static USER_SIZE])
{
    const struct passwd *user = getpwuid(uid);
    if (user && strlen(user->pw_name) < USER_SIZE)
        (void)snprintf(out, USER_SIZE, "%s", user->pw_name);
    else
        (void)snprintf(out, USER_SIZE, "%u", uid);
}

/* Other tags are of others, who would find another dataset by them. */
static int tag_check(const struct push_admission *in, const char *user, const char *tag,
                     struct err *err)
{
    size_t size = strlen(user);
    int rc = facts_tag_check(tag, err);
    if (rc < 0 || in->sets_any_tag ||
        (strncmp(tag, user, size) == 0 && tag[size] == '/'))
        return rc;
    return err_set(err, EPERM, "tag '%s': tags that you push begin with '%s/'", tag,
                   user);
}

static uint32_t first_group(const char *groups)
{
    struct span rest = span_of(groups), first;
    uint64_t gid = UINT32_MAX;
    (void)span_cut(&rest, '.', &first);
    return number_parse_u64(first, &gid) == 0 ? (uint32_t)gid : UINT32_MAX;
}

/* ---- the dataset ---- */

struct admit {
    struct repository *r;
    const struct push_admission *in;
    struct push *push; /* NULL: all of it was here */
    struct push_facts facts;
    char user[USER_SIZE], tag[DATASET_TAG_MAX + 1];
    char source[PUSH_SOURCE_MAX + 1], tool[PUSH_SOURCE_MAX + 1];
    char arguments[PUSH_SOURCE_MAX + 1];
    char labels[DATASET_LABELS_MAX][DATASET_TEXT_MAX + 1];
    const char *label_items[DATASET_LABELS_MAX];
};

static void fact_copy(char *out, size_t size, struct span text)
{
    size_t most = text.size < size ? text.size : size - 1;
    if (most)
        memcpy(out, text.data, most);
    out[most] = '\0';
}

static int facts_use(struct admit *admit, struct err *err)
{
    const struct push_facts *facts = &admit->facts;
    for (size_t i = 0; i < facts->label_count; i++) {
        if (facts->labels[i].size > DATASET_TEXT_MAX)
            return err_set(err, EINVAL, "a label of more than %d characters",
                           DATASET_TEXT_MAX);
        fact_copy(admit->labels[i], sizeof admit->labels[i], facts->labels[i]);
        admit->label_items[i] = admit->labels[i];
    }
    fact_copy(admit->tag, sizeof admit->tag, facts->tag);
    fact_copy(admit->source, sizeof admit->source, facts->source);
    fact_copy(admit->tool, sizeof admit->tool, facts->tool);
    fact_copy(admit->arguments, sizeof admit->arguments, facts->arguments);
    user_print(admit->in->uid, admit->user);
    return admit->tag[0] ? tag_check(admit->in, admit->user, admit->tag, err) : 0;
}

/* Each makes a dataset stay. */
static int tags_check(const struct admit *admit, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    char first[USER_SIZE + 1], end[USER_SIZE + 1];
    if (admit->in->sets_any_tag)
        return 0;
    (void)snprintf(first, sizeof first, "%s/", admit->user);
    (void)snprintf(end, sizeof end, "%s%c", admit->user, '/' + 1);
    int rc = catalogue_prepare(admit->r->db,
                               "SELECT count(*) FROM tag WHERE name >= ? AND name < ?"
                               " AND name <> ?",
                               &row, err);
    if (rc < 0)
        return rc;
    catalogue_bind_text(row, 1, span_of(first));
    catalogue_bind_text(row, 2, span_of(end));
    catalogue_bind_text(row, 3, span_of(admit->tag));
    rc = catalogue_step(row, err);
    if (rc > 0 && sqlite3_column_int64(row, 0) >= PUSH_TAGS_MAX)
        return err_set(err, EDQUOT,
                       "user %s has %u tags here: have some removed, or push to one "
                       "that there is",
                       admit->user, PUSH_TAGS_MAX);
    return rc < 0 ? rc : 0;
}

/* A tag makes it stay, so that it counts for who sets it: for her alone, whatever
 * access she states of what is another user's. */
static int tagger_add(struct admit *admit, int64_t dataset, struct err *err)
{
    const struct dataset_access access = { admit->in->uid,
                                           first_group(admit->in->groups),
                                           DATASET_PRIVATE };
    int rc = owners_has(admit->r, dataset, access.uid, err);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    rc = quota_check(admit->r, access.uid, admit->in->image_bytes, err);
    return rc < 0 ? rc : owners_add(admit->r, dataset, &access, err);
}

static int mark_own(struct admit *admit, int64_t dataset,
                    const struct dataset_admission *in, struct err *err)
{
    int rc = facts_mark(admit->r, dataset, in, err);
    for (size_t i = 0; rc == 0 && i < admit->facts.view_count; i++)
        rc = facts_view_set(admit->r, dataset, admit->facts.views[i].name,
                            admit->facts.views[i].text, err);
    return rc;
}

/* The rest is as its first owner states it; without a tag it does not stay longer. */
static int mark_other(struct admit *admit, int64_t dataset, const char *tag,
                      struct err *err)
{
    bool is_limited = admit->in->uid != 0 && !admit->in->sets_any_tag;
    if (!tag)
        return 0;
    int rc = is_limited ? tagger_add(admit, dataset, err) : 0;
    return rc < 0 ? rc : facts_tag_set(admit->r, dataset, tag, err);
}

/* It was here: labels and views of its first owner's are changed by that user alone. */
static int mark_known(struct admit *admit, const struct dataset_admission *in,
                      struct err *err)
{
    AUTO(catalogue_change_done) struct catalogue_change change = { 0 };
    int64_t dataset = 0;
    int rc = facts_check(in, err);
    if (rc == 0)
        rc = catalogue_begin(admit->r->db, &change, err);
    if (rc == 0)
        rc = facts_need(admit->r, &admit->in->name, &dataset, err);
    if (rc == 0)
        rc = owners_has_first(admit->r, dataset, admit->in->uid, err);
    if (rc >= 0)
        rc = rc > 0 ? mark_own(admit, dataset, in, err)
                    : mark_other(admit, dataset, in->tag, err);
    return rc < 0 ? rc : catalogue_commit(&change, err);
}

static int admit_import(struct admit *admit, const struct dataset_admission *in,
                        struct err *err)
{
    char path[STORE_PATH_SIZE];
    const struct dataset_origin origin = {
        .uid = admit->in->uid,
        .gid = first_group(admit->in->groups),
        .creator = admit->user,
        .source = admit->source,
        .tool = admit->tool,
        .arguments = admit->arguments,
        .views = admit->facts.views,
        .view_count = admit->facts.view_count,
        .name = &admit->in->name,
        .is_refused = &admit->push->is_wrong,
    };
    struct dataset_admission image = *in;
    struct dataset_added added;
    (void)snprintf(path, sizeof path, "%s/part", admit->push->dir);
    image.path = path;
    image.origin = &origin;
    int rc = push_fill(admit->r, admit->push, err);
    return rc < 0 ? rc : repository_import(admit->r, &image, &added, err);
}

static int admit_run(struct admit *admit, struct push_admitted *ret, struct err *err)
{
    struct dataset_admission in = { .labels = admit->label_items,
                                    .label_count = admit->facts.label_count,
                                    .tag = admit->tag[0] ? admit->tag : NULL,
                                    .audience = admit->facts.audience };
    int rc = repository_permit(admit->r, &admit->in->name, admit->in->uid,
                               admit->in->groups, NULL);
    bool was_there = rc == 0;
    if (rc < 0 && rc != -EACCES && rc != -ENOENT)
        return err_set(err, -rc, "the catalogue cannot be read");
    rc = admit->tag[0] ? tags_check(admit, err) : 0;
    if (rc == 0)
        rc = was_there ? mark_known(admit, &in, err) : admit_import(admit, &in, err);
    if (rc == 0)
        rc = repository_owner_seen(admit->r, &admit->in->name, admit->in->uid,
                                   admit->in->groups, &ret->owner, err);
    if (rc == 0)
        ret->was_there = was_there;
    return rc;
}

static int facts_file_read(const struct push *push, struct strbuf *out, struct err *err)
{
    char path[STORE_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/facts", push->dir);
    return file_read(path, PUSH_FACTS_MAX, out, err);
}

int repository_push_admit(struct repository *r, const struct push_admission *in,
                          struct push_admitted *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(push_close) struct push *push = NULL;
    AUTO_FREE struct admit *admit = calloc(1, sizeof *admit);
    struct push_terms terms = { .name = in->name,
                                .uid = in->uid,
                                .image_bytes = in->image_bytes,
                                .index_bytes = in->index_bytes };
    if (!admit)
        return -ENOMEM;
    memcpy(terms.groups, in->groups, sizeof terms.groups);
    r->writer_wait_ns = WRITER_WAIT_NS;
    int rc = push_open(r, &terms, &push, err);
    if (rc == 0 && !push->has_index)
        rc = err_set(err, EAGAIN, "the index is missing");
    if (rc == 0)
        rc = facts_file_read(push, &text, err);
    if (rc == 0)
        rc = push_facts_parse(strbuf_span(&text), &admit->facts, err);
    if (rc < 0)
        return rc;
    admit->r = r;
    admit->in = in;
    admit->push = push;
    rc = facts_use(admit, err);
    if (rc == 0)
        rc = admit_run(admit, ret, err);
    /* Bytes that can be right stay where something else is wrong: the quota, a tag, the
     * server's disk. */
    if (rc == 0 || push->is_wrong)
        push_remove(push);
    return rc;
}
