/* SPDX-License-Identifier: Apache-2.0 */
/* series - what is known about one entry's time series: the metadata row.
 *
 * time_series_id = UUIDv5(namespace, "<target>:<identifier bytes>"), one namespace for
 * each file system instance and format.  Inside a database a series has a short sid.
 * Empty texts (data NULL) are null in the database.
 */
#ifndef MODEL_SERIES_H
#define MODEL_SERIES_H

#include "base/arena.h"
#include "base/uuid.h"
#include "model/entry_id.h"
#include "model/target.h"

struct series {
    int64_t sid; /* 0 before it is stored */
    struct uuid id;
    struct span fs;     /* instance: "scratch" */
    struct span target; /* "scratch-OST0001" */
    enum target_kind kind;
    struct span entry_id; /* bytes */
    struct span format;   /* "%j:%u:%H"; data NULL: unmatched */
    struct span job;      /* text; %e.%u entries: "<executable>.<user>", see login */
    struct span user, group, node, executable, pid;
    unsigned flags; /* SPLIT_* */
    bool is_login;  /* job is synthetic: one for each executable and user */
};

/* Errors: -EIO (libcrypto), -EINVAL (target over TARGET_BYTES_MAX). */
int series_id(const struct uuid *ns, struct span target, struct span entry_id,
              struct uuid *ret);

/* Copy a series with its texts into arena.  Errors: -ENOMEM. */
int series_copy(const struct series *series, struct arena *arena, struct series *ret);
/* The same into memory of the caller: the size of all texts, and the copy, whose texts
 * lie at text, which has room for that many bytes. */
size_t series_text_size(const struct series *series);
void series_copy_to(const struct series *series, struct series *ret, char *text);

#endif
