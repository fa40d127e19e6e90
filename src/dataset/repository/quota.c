/* SPDX-License-Identifier: Apache-2.0 */
/* quota - how many bytes of images an owner may have in a repository. */
#include "dataset/repository/quota.h"

#include "base/figure.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "dataset/repository/owners.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>

#define QUOTAS_BYTES_MAX (UINT32_C(1) << 20)
#define USER_SIZE 64
#define USER_BYTES 65536U

/* Of uid: 2; of all others: 1; else 0. */
static int line_match(struct span user, uint32_t uid)
{
    char name[USER_SIZE];
    uint64_t number = 0;
    if (span_is(user, "*"))
        return 1;
    if (number_parse_u64(user, &number) == 0)
        return number == uid ? 2 : 0;
    if (user.size >= sizeof name)
        return 0;
    memcpy(name, user.data, user.size);
    name[user.size] = '\0';
    AUTO_FREE char *text = malloc(USER_BYTES);
    struct passwd user_entry, *entry = NULL;
    if (!text || getpwnam_r(name, &user_entry, text, USER_BYTES, &entry) != 0 || !entry)
        return 0;
    return entry->pw_uid == uid ? 2 : 0;
}

static int quota_line_read(struct span line, const char *path, struct span *ret_user,
                           uint64_t *ret_bytes, struct err *err)
{
    struct span text;
    (void)span_cut(&line, '#', &text);
    text = span_trim(text);
    if (!text.size)
        return 1;
    (void)span_cut(&text, ' ', ret_user);
    if (number_parse_size(span_trim(text), ret_bytes) < 0)
        return err_set(err, EINVAL,
                       "'%s': write USER SIZE, as \"anna 200GiB\": " SPAN_FMT, path,
                       SPAN_ARG(*ret_user));
    return 0;
}

/* 1: there is one. */
static int quota_find(const char *path, struct span lines, uint32_t uid, uint64_t *ret,
                      struct err *err)
{
    struct span line, user;
    int best = 0;
    while (lines.size) {
        uint64_t bytes = 0;
        (void)span_cut(&lines, '\n', &line);
        int rc = quota_line_read(line, path, &user, &bytes, err);
        if (rc < 0)
            return rc;
        int match = rc == 0 ? line_match(user, uid) : 0;
        if (match > best) {
            best = match;
            *ret = bytes;
        }
    }
    return best > 0;
}

static int used_find(struct repository *r, uint32_t uid, uint64_t *ret, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int rc = catalogue_prepare(r->db, "SELECT sum(bytes) FROM dataset WHERE uid = ?",
                               &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, uid);
    rc = catalogue_step(row, err);
    if (rc > 0)
        *ret = (uint64_t)sqlite3_column_int64(row, 0);
    return rc < 0 ? rc : 0;
}

/* As the first owner, or as another one. */
static int all_used_find(struct repository *r, uint32_t uid, uint64_t *ret,
                         struct err *err)
{
    uint64_t own = 0, other = 0;
    int rc = used_find(r, uid, &own, err);
    if (rc == 0)
        rc = owners_bytes(r, uid, &other, err);
    if (rc == 0)
        *ret = own + other;
    return rc;
}

int quota_check(struct repository *r, uint32_t uid, uint64_t bytes, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char path[STORE_PATH_SIZE], used_text[FIGURE_SIZE], more[FIGURE_SIZE],
        most[FIGURE_SIZE];
    uint64_t quota = 0, used = 0;
    (void)snprintf(path, sizeof path, "%s/quotas", r->dir);
    int rc = file_read(path, QUOTAS_BYTES_MAX, &text, err);
    if (rc == -ENOENT)
        return 0;
    if (rc == 0)
        rc = quota_find(path, strbuf_span(&text), uid, &quota, err);
    if (rc <= 0)
        return rc;
    rc = all_used_find(r, uid, &used, err);
    if (rc < 0 || (used <= quota && bytes <= quota - used))
        return rc;
    figure_print_bytes(used_text, sizeof used_text, (double)used);
    figure_print_bytes(more, sizeof more, (double)bytes);
    figure_print_bytes(most, sizeof most, (double)quota);
    return err_set(
        err, EDQUOT,
        "user %u has images of %s, this one has %s, and the quota is %s: remove "
        "tags and references of others (baro dataset list) and run baro "
        "dataset gc, or have it raised in '%s'",
        uid, used_text, more, most, path);
}
