/* SPDX-License-Identifier: Apache-2.0 */
/* accounts - what each user, group and project holds on the targets of a server, out of
 * what lctl get_param prints of quota_slave:
 *
 *     osd-ldiskfs.scratch-OST0001.quota_slave.acct_user=
 *     usr_accounting:
 *     - id:      1001
 *       usage:   { inodes:                  251, kbytes:            138926301 }
 *
 * A server has as many entries as users, on each target: the text is read in pieces,
 * and nothing of it is stored.  Servers count this whether quotas are enforced
 * or not; of a backend without them the value is "not supported", which is no fault.
 * Sources: recorded trees of Lustre 2.10 (ZFS) and 2.14 (ldiskfs).
 *
 * Threads  a reader is one thread's.
 */
#ifndef SOURCE_LUSTRE_ACCOUNTS_H
#define SOURCE_LUSTRE_ACCOUNTS_H

#include "base/err.h"
#include "model/model.h"
#include "source/lustre/targets.h"

enum lustre_owner_kind {
    LUSTRE_OWNER_USER,
    LUSTRE_OWNER_GROUP,
    LUSTRE_OWNER_PROJECT,
    LUSTRE_OWNER_KIND_COUNT
};

/* "user", "group", "project". */
const char *lustre_owner_kind_name(enum lustre_owner_kind kind);

struct lustre_account {
    struct span target;
    enum target_kind target_kind; /* by its name */
    enum lustre_owner_kind owner;
    uint32_t id;
    uint64_t inodes, kbytes;
};

#define LUSTRE_ACCOUNT_LINE_MAX 512

struct lustre_accounts {
    /* Set by the caller.  A negative return of account ends the reading. */
    int (*account)(void *arg, const struct lustre_account *account);
    /* A line, from 1, that cannot be read; it costs itself.  NULL: passed over. */
    void (*fault)(void *arg, uint64_t line, struct span text);
    void *arg;
    /* The reader's own, zero at the beginning. */
    char target[TARGET_BYTES_MAX];
    char text[LUSTRE_ACCOUNT_LINE_MAX]; /* the beginning of a line */
    size_t target_size, text_size;
    uint64_t line;
    struct lustre_account entry;
    bool is_wanted; /* within the value of such a parameter */
    bool has_id;    /* a usage is to come */
    bool is_long;   /* the line is too long: the rest of it is passed over */
};

/* The next piece of the text, of any size.  Errors: what account returned. */
int lustre_accounts_add(struct lustre_accounts *accounts, struct span piece);
/* Behind the last piece: a last line without its end. */
int lustre_accounts_end(struct lustre_accounts *accounts);

/* Every file of accounts below root, for those who print them; param is the name that
 * get_param would print.  Errors: as lustre_find_devices(). */
typedef int lustre_account_file_fn(void *arg, const char *param, const char *path);
int lustre_find_account_files(const char *root, lustre_account_file_fn *fn, void *arg,
                              struct err *err);

#endif
