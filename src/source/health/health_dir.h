/* SPDX-License-Identifier: Apache-2.0 */
/* health_dir - the directory that samples of file systems' health are kept in.
 *
 *     DIR/df-2026-11-21.txt    lfs df, a BEGIN block a sample, by days of UTC
 *     DIR/dl-2026-11-21.txt    lctl dl -t, likewise
 *     DIR/df.state, dl.state   which file of the kind was written last, how many bytes
 * of it are whole, and when
 *
 * A sample is there when the state says so: what lies behind is torn, or being written,
 * and no reader here sees it.  The state is also the lock of recorders,
 * and a command that hangs goes on holding it.
 */
#ifndef SOURCE_HEALTH_HEALTH_DIR_H
#define SOURCE_HEALTH_HEALTH_DIR_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stdint.h>

enum health_kind {
    HEALTH_KIND_SPACE,   /* lfs df */
    HEALTH_KIND_SERVERS, /* lctl dl -t */
    HEALTH_KIND_COUNT,
};

#define HEALTH_FILE_BYTES_MAX ((size_t)1 << 30)
#define HEALTH_NAME_BYTES 32

/* ---- reading ---- */

struct health_dir; /* the names that were there when it was opened, and two texts */

/* Errors: what opendir says, -ENOMEM. */
int health_dir_open(const char *path, struct health_dir **ret, struct err *err);
void health_dir_close(struct health_dir *dir);
DEFINE_AUTO(struct health_dir, health_dir_close);

/* The whole samples of the file that holds the last one at or before t_ns, be it too
 * old or not; *ret_text is valid until the next call for this kind, *ret_name of the
 * file until dir is closed.  Files may be compressed (df-2026-11-20.txt.gz, .bz2,
 * .xz, .zst).
 * Errors: -ENOENT (no file is of that time), what reading says. */
int health_dir_at(struct health_dir *dir, enum health_kind kind, int64_t t_ns,
                  struct span *ret_text, const char **ret_name, struct err *err);

/* ---- writing ---- */

struct health_state {
    int fd; /* -1: not open; children inherit it */
    char name[HEALTH_NAME_BYTES];
    uint64_t size_bytes;
    int64_t t_ns; /* of the last sample; INT64_MIN: there is none */
};

/* Take the lock.  Errors: -EBUSY (another process takes a sample, or a command of an
 * earlier one hangs), what open says. */
int health_state_open(const char *dir, enum health_kind kind, struct health_state *ret,
                      struct err *err);
void health_state_done(struct health_state *state);
DEFINE_AUTO_DONE(struct health_state, health_state_done);

/* Append text as the sample of t_ns, whole or not at all.  *ret_torn_bytes is how much
 * of an earlier, torn one had to be cut off.  Errors: what writing says; err names it.
 */
int health_state_append(const char *dir, enum health_kind kind,
                        struct health_state *state, int64_t t_ns, struct span text,
                        uint64_t *ret_torn_bytes, struct err *err);

/* Remove files of days that ended before t_ns; how many.  Errors: what opendir says. */
int health_dir_prune(const char *path, int64_t t_ns, size_t *ret_count,
                     struct err *err);

#endif
