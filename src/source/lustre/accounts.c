/* SPDX-License-Identifier: Apache-2.0 */
/* accounts - what each user, group and project holds on the targets of a server. */
#include "source/lustre/accounts.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <stdio.h>

static const struct {
    const char *name, *param;
} owners[LUSTRE_OWNER_KIND_COUNT] = {
    [LUSTRE_OWNER_USER] = { "user", "quota_slave.acct_user" },
    [LUSTRE_OWNER_GROUP] = { "group", "quota_slave.acct_group" },
    [LUSTRE_OWNER_PROJECT] = { "project", "quota_slave.acct_project" },
};

const char *lustre_owner_kind_name(enum lustre_owner_kind kind)
{
    return owners[kind].name;
}

/* ---- one line ---- */

/* "osd-ldiskfs.scratch-OST0001.quota_slave.acct_user": -EINVAL, it is another one. */
static int account_param_parse(struct lustre_accounts *a, struct span param)
{
    struct span rest = param, device;
    struct target_name name;
    if (!span_starts(param, "osd") || !span_cut(&rest, '.', &device))
        return -EINVAL;
    for (int kind = 0; kind < LUSTRE_OWNER_KIND_COUNT; kind++) {
        size_t size = strlen(owners[kind].param);
        if (!span_ends(rest, owners[kind].param) || rest.size < size + 2 ||
            rest.data[rest.size - size - 1] != '.')
            continue;
        rest.size -= size + 1;
        if (target_parse(rest, &name) < 0)
            return -EINVAL;
        memcpy(a->target, rest.data, rest.size);
        a->target_size = rest.size;
        a->entry = (struct lustre_account){ .target_kind = name.kind,
                                            .owner = (enum lustre_owner_kind)kind };
        return 0;
    }
    return -EINVAL;
}

/* The number behind "name:", wherever it stands in the line. */
static int number_behind(struct span line, const char *name, uint64_t *ret)
{
    const char *found = memmem(line.data, line.size, name, strlen(name));
    if (!found)
        return -EINVAL;
    struct span rest = span_skip(line, (size_t)(found - line.data) + strlen(name));
    size_t size = 0;
    rest = span_trim(rest);
    while (size < rest.size && rest.data[size] >= '0' && rest.data[size] <= '9')
        size++;
    return number_parse_u64((struct span){ rest.data, size }, ret);
}

static int account_entry_line(struct lustre_accounts *a, struct span line,
                              bool *ret_is_read)
{
    uint64_t id;
    *ret_is_read = true;
    if (span_starts(line, "- id:")) {
        a->has_id = number_behind(line, "id:", &id) == 0 && id <= UINT32_MAX;
        a->entry.id = a->has_id ? (uint32_t)id : 0;
        *ret_is_read = a->has_id;
        return 0;
    }
    if (a->has_id && span_starts(line, "usage:")) {
        a->has_id = false;
        if (number_behind(line, "inodes:", &a->entry.inodes) == 0 &&
            number_behind(line, "kbytes:", &a->entry.kbytes) == 0) {
            a->entry.target = (struct span){ a->target, a->target_size };
            return a->account(a->arg, &a->entry);
        }
    }
    *ret_is_read = false;
    return 0;
}

static bool is_account_param(struct span line, struct span *ret_name)
{
    struct span rest = line;
    return line.size > 0 && line.data[0] != ' ' && line.data[0] != '-' &&
           memchr(line.data, '=', line.size) && span_cut(&rest, '=', ret_name);
}

static int account_line(struct lustre_accounts *a, struct span line)
{
    struct span name, text = span_trim(line);
    bool is_read = true;
    a->line++;
    if (is_account_param(line, &name)) {
        a->is_wanted = account_param_parse(a, name) == 0;
        a->has_id = false;
        return 0;
    }
    if (!a->is_wanted || text.size == 0 || span_is(text, "not supported") ||
        span_ends(text, "_accounting:"))
        return 0;
    int rc = a->is_long ? 0 : account_entry_line(a, text, &is_read);
    if ((a->is_long || !is_read) && a->fault)
        a->fault(a->arg, a->line, text);
    return rc;
}

/* ---- pieces ---- */

static int account_text_flush(struct lustre_accounts *a)
{
    int rc = account_line(a, (struct span){ a->text, a->text_size });
    a->text_size = 0;
    a->is_long = false;
    return rc;
}

static void account_text_add(struct lustre_accounts *a, struct span part)
{
    size_t free_size = sizeof a->text - a->text_size;
    a->is_long |= part.size > free_size;
    part.size = part.size < free_size ? part.size : free_size;
    memcpy(a->text + a->text_size, part.data, part.size);
    a->text_size += part.size;
}

int lustre_accounts_add(struct lustre_accounts *accounts, struct span piece)
{
    int rc = 0;
    while (rc == 0 && piece.size > 0) {
        const char *end = memchr(piece.data, '\n', piece.size);
        size_t size = end ? (size_t)(end - piece.data) : piece.size;
        account_text_add(accounts, (struct span){ piece.data, size });
        piece = span_skip(piece, size + (end != NULL));
        rc = end ? account_text_flush(accounts) : 0;
    }
    return rc;
}

int lustre_accounts_end(struct lustre_accounts *accounts)
{
    return accounts->text_size > 0 ? account_text_flush(accounts) : 0;
}

/* ---- files below a root ---- */

struct account_search {
    const char *root;
    lustre_account_file_fn *fn;
    void *arg;
};

static int on_account_device(void *arg, const struct lustre_device *device)
{
    const struct account_search *s = arg;
    static const char *const files[] = { "quota_slave/acct_user",
                                         "quota_slave/acct_group",
                                         "quota_slave/acct_project" };
    char path[LUSTRE_PATH_MAX], param[LUSTRE_PATH_MAX];
    int rc = 0;
    for (int kind = 0; rc == 0 && kind < LUSTRE_OWNER_KIND_COUNT; kind++) {
        if (lustre_find_file(s->root, "osd-*", device->name, files[kind], path) < 0)
            continue;
        int size = snprintf(param, sizeof param, "osd.%s.%s", device->name,
                            owners[kind].param);
        rc = size < 0 || (size_t)size >= sizeof param ? -ENAMETOOLONG
                                                      : s->fn(s->arg, param, path);
    }
    return rc;
}

int lustre_find_account_files(const char *root, lustre_account_file_fn *fn, void *arg,
                              struct err *err)
{
    struct account_search search = { root, fn, arg };
    return lustre_find_devices(root, on_account_device, &search, err);
}
