/* SPDX-License-Identifier: Apache-2.0 */
/* repository - the door of dataset/repository: immutable datasets in a directory.
 *
 *     DIR/catalogue.db    datasets, chunks, tags, references (SQLite)
 *     DIR/packs/N.pack    chunks, compressed, each once for all datasets
 *     DIR/staging/X/      what is being made; X goes with the process that made it
 *     DIR/writer.lock, DIR/reader.lock
 *
 * A pack is complete and on the disk before the transaction that names its chunks; a
 * process killed at any moment leaves files that the catalogue does not name, which the
 * next writer removes.
 *
 * Threads  one a repository; any number of processes.
 * Errors   0 or -errno with a line: -ENOENT (no such dataset), -EUCLEAN (damaged),
 *          -EBADMSG and -EPERM (an image that is refused), -EEXIST, -EBUSY; those of
 * the operating system.
 */
#ifndef DATASET_REPOSITORY_REPOSITORY_H
#define DATASET_REPOSITORY_REPOSITORY_H

#include "base/cleanup.h"
#include "base/table/table.h"
#include "dataset/image/image.h"
#include "dataset/repository/bytes.h"
#include "dataset/repository/chunker.h"
#include "dataset/repository/diff_text.h"
#include "dataset/repository/index.h"
#include "dataset/repository/push.h"
#include "dataset/repository/push_facts.h"
#include "dataset/repository/start_profile.h"

struct repository;

/* How far something is, in bytes. */
typedef void (*repository_progress_fn)(void *arg, size_t done, size_t count);

/* Made where creates is true and there is none. */
int repository_open(const char *dir, bool creates, struct repository **ret,
                    struct err *err);
void repository_free(struct repository *repository);
DEFINE_AUTO(struct repository, repository_free);
void repository_watch(struct repository *repository, repository_progress_fn progress,
                      void *arg);

/* ---- admission ---- */

struct dataset_access {
    uint32_t uid, gid;
    enum dataset_audience audience;
};
/* "public", "group", "private".  Errors: -EINVAL with a line. */
int dataset_audience_parse(const char *text, enum dataset_audience *ret,
                           struct err *err);
const char *dataset_audience_text(enum dataset_audience audience);

/* What is stated of an image that another user sent. */
struct dataset_origin {
    uint32_t uid, gid; /* its owner */
    const char *creator, *source, *tool, *arguments;
    const struct push_view *views;
    size_t view_count;
    const struct digest *name; /* that the image has to have */
    bool *is_refused;          /* set where the checker refuses the image itself */
};

struct dataset_admission {
    const char *path; /* a directory, or an image; see image_source_open() */
    struct image_policy policy;
    const char *const *labels; /* "key=value" */
    size_t label_count;
    const char *tag;                /* set in the same transaction; NULL: none */
    enum dataset_audience audience; /* of a new one */
    /* NULL: the process's user is its owner.  Else path is a file that no process
     * writes to any more, on the repository's file system. */
    const struct dataset_origin *origin;
    const struct digest *parent; /* that it is a new version of; NULL: of none */
};

struct dataset_added {
    struct digest name;
    bool is_known; /* it was there already */
    uint64_t image_bytes, new_bytes, chunk_count, new_chunk_count;
    uint64_t repaired_chunk_count; /* that were stored, but damaged */
    bool was_pulled;
    uint64_t fetched_chunks, fetched_bytes; /* of the source; bytes as they came */
    struct image_totals totals;
};

int repository_create(struct repository *repository, const struct dataset_admission *in,
                      struct dataset_added *ret, struct err *err);
/* As repository_create(); base is its parent, whose labels and views it has, too. */
int repository_update(struct repository *repository, const struct digest *base,
                      const struct dataset_admission *in, struct dataset_added *ret,
                      struct err *err);
int repository_import(struct repository *repository, const struct dataset_admission *in,
                      struct dataset_added *ret, struct err *err);
/* For a person, in a line or two. */
void repository_added_text(const struct dataset_added *added, char *out, size_t size);

/* ---- datasets ---- */

/* By a tag, all 64 digits, or the first 6 and more where these are of one dataset. */
int repository_resolve(struct repository *repository, const char *spec,
                       struct digest *ret, struct err *err);
int repository_list(struct repository *repository, struct table *out, struct err *err);
/* A row for each fact: "name", "bytes", labels, tags, references. */
int repository_show(struct repository *repository, const struct digest *name,
                    struct table *out, struct err *err);
int repository_manifest(struct repository *repository, const struct digest *name,
                        struct strbuf *out, struct err *err);
/* Which jobs had references of it, the newest first; those that ended within a year. */
int repository_jobs(struct repository *repository, const struct digest *name,
                    struct table *out, struct err *err);
/* On which nodes it is mounted now, and for which jobs, as their references state: a
 * mount's lease has an end, which is renewed. */
int repository_nodes(struct repository *repository, const struct digest *name,
                     struct table *out, struct err *err);
int repository_access(struct repository *repository, const struct digest *name,
                      struct dataset_access *ret, struct err *err);
/* Whether a user may read it.  groups: numbers with dots between, or "".
 * Errors: -EACCES, -ENOENT. */
int repository_permit(struct repository *repository, const struct digest *name,
                      uint32_t uid, const char *groups, struct err *err);
/* Its first owner, where the user may read it because of that one, else the user
 * herself: of other owners none learns. */
int repository_owner_seen(struct repository *repository, const struct digest *name,
                          uint32_t uid, const char *groups, uint32_t *ret,
                          struct err *err);
/* What is not NULL is changed: "public|group|private", names or numbers of a user and a
 * group.  Errors: -EINVAL, -ENOENT, with a line. */
struct dataset_access_texts {
    const char *audience, *owner, *group;
};
int repository_access_change(struct repository *repository, const struct digest *name,
                             const struct dataset_access_texts *texts, struct err *err);
/* A row for each path that differs; 1 where any does, else 0. */
int repository_diff(struct repository *repository, const struct digest *a,
                    const struct digest *b, struct table *out, struct err *err);
/* Every chunk, and the image's SHA-256. */
int repository_verify(struct repository *repository, const struct digest *name,
                      struct err *err);
/* The image to fd, each chunk verified before it is written. */
int repository_export(struct repository *repository, const struct digest *name, int fd,
                      struct err *err);
/* The same to a file that is there whole, or not at all; a device or a pipe is written
 * as it is.  Errors: also -EISDIR. */
int repository_export_file(struct repository *repository, const struct digest *name,
                           const char *path, struct err *err);

/* ---- for those who serve datasets to others: no lock, so that gc waits for none ----
 */

/* As it is stored.  Errors: -ENOENT, -EUCLEAN. */
int repository_index(struct repository *repository, const struct digest *name,
                     struct dataset_index *ret, struct err *err);
/* A chunk of any dataset as it lies in its pack, into CHUNK_SIZE_MAX bytes at stored:
 * plain where both sizes are equal, else one zstd frame.  Its checksum was compared;
 * its SHA-256 is compared by who uses it.  Errors: -ENOENT, -EUCLEAN. */
int repository_chunk(struct repository *repository, const struct digest *digest,
                     uint8_t *stored, uint32_t *ret_stored_size,
                     uint32_t *ret_plain_size, struct err *err);

/* ---- references ---- */

/* name NULL: the tag is removed. */
int repository_tag(struct repository *repository, const char *tag,
                   const struct digest *name, struct err *err);

struct dataset_ref {
    const char *kind;   /* job, mount, hold */
    const char *detail; /* the job's id, the node, a reason */
    int64_t lasts_ns;   /* 0: until it is removed */
};
int repository_ref(struct repository *repository, const struct digest *name,
                   const struct dataset_ref *ref, uint64_t *ret_id, struct err *err);
/* A mount's heartbeat: it lasts so long from now. */
int repository_ref_renew(struct repository *repository, uint64_t id, int64_t lasts_ns,
                         struct err *err);
/* The number of a reference.  Errors: -EINVAL with a line. */
int repository_ref_parse(const char *text, uint64_t *ret, struct err *err);
int repository_unref(struct repository *repository, uint64_t id, struct err *err);
/* The reference of a mount by who holds it: made, or it lasts so long from now;
 * lasts_ns 0: removed, if it is there.  A holder "job:ID:UID:NODE" has a job's
 * reference on that node, which lasts until it is removed (INT64_MAX, or 0).  Errors:
 * -EINVAL, -ENOENT (no such dataset), -ENOSPC (too many mounts), -EAGAIN (another
 * process writes: it is not waited for). */
#define REPOSITORY_HOLDER_OF_JOB "job:"
int repository_lease(struct repository *repository, const struct digest *name,
                     const char *holder, int64_t lasts_ns, struct err *err);

/* ---- views: variables that a command has by their name, with the dataset ---- */

/* text: as dataset/view/view.h has it; it replaces the view.  Errors: those of
 * view_check(), -EINVAL, -E2BIG (too many), with a line. */
int repository_view_set(struct repository *repository, const struct digest *name,
                        struct span view, struct span text, struct err *err);
/* Errors: -ENODATA: it has no such view. */
int repository_view_remove(struct repository *repository, const struct digest *name,
                           struct span view, struct err *err);
int repository_view(struct repository *repository, const struct digest *name,
                    struct span view, struct strbuf *out, struct err *err);
/* A row for each change. */
int repository_views(struct repository *repository, const struct digest *name,
                     struct table *out, struct err *err);

/* ---- profiles: which chunks a start of the dataset reads, so that they come before
 * ----
 */

/* text: as start_profile.h has it; it replaces the one before.  Its owner, or root.
 * Errors: -EPERM, those of start_profile_parse(), with a line. */
int repository_profile_set(struct repository *repository, const struct digest *name,
                           struct span text, struct err *err);
/* Errors: -ENODATA: it has none. */
int repository_profile_drop(struct repository *repository, const struct digest *name,
                            struct err *err);
int repository_profile(struct repository *repository, const struct digest *name,
                       struct strbuf *out, struct err *err);

/* ---- space and state ---- */

struct repository_gc {
    int64_t grace_ns; /* younger datasets stay */
    bool is_trial;    /* nothing is removed, and nothing waited for */
    int64_t wait_ns;  /* for processes that read; then -EBUSY */
};
/* "12h"; NULL: REPOSITORY_GRACE.  Errors: -EINVAL with a line. */
#define REPOSITORY_GRACE "1d"
int repository_grace_parse(const char *text, int64_t *ret, struct err *err);

struct repository_freed {
    uint64_t datasets, chunks, packs_removed, packs_rewritten, bytes;
    uint64_t packs_damaged; /* left as they are */
};
/* A row for each dataset: what happens to it, and why.  Where it fails, *ret is what it
 * did before, and the rows are there if datasets were removed.  -EUCLEAN: all was done
 * but for packs that are damaged. */
int repository_gc(struct repository *repository, const struct repository_gc *opts,
                  struct table *out, struct repository_freed *ret, struct err *err);

/* For a person, in a line. */
void repository_freed_text(const struct repository_freed *freed, bool is_trial,
                           char *out, size_t size);

struct repository_state {
    uint64_t datasets, chunks, packs, bytes, damages, notes;
};
void repository_state_text(const struct repository_state *state, char *out,
                           size_t size);
/* A row for each thing that is damaged, or to be noted.  0 also where some is. */
int repository_fsck(struct repository *repository, struct table *out,
                    struct repository_state *ret, struct err *err);

/* ---- out of another repository, or from a server ---- */

#define PULL_BATCH_MAX 64U /* chunks that are requested at a time */

/* A chunk as it is stored: plain where both sizes are equal, else one zstd frame.  It
 * is not verified yet. */
typedef int (*dataset_source_fn)(void *arg, size_t position, struct span stored,
                                 uint32_t plain_size, struct err *err);

struct dataset_source {
    int (*resolve)(void *arg, const char *spec, struct digest *ret, struct err *err);
    int (*index)(void *arg, const struct digest *name, struct dataset_index *ret,
                 struct err *err);
    /* each() for each of count, in whatever order. */
    int (*chunks)(void *arg, const struct digest *digests, size_t count,
                  dataset_source_fn each, void *each_arg, struct err *err);
    void *arg;
};

/* in->path is the dataset's tag or name there.  Errors: those of the source;
 * -EUCLEAN (what it sent is not what it states), -EBUSY (another process pulls it),
 * those of repository_import(). */
int repository_pull(struct repository *r, const struct dataset_source *source,
                    const struct dataset_admission *in, struct dataset_added *ret,
                    struct err *err);
/* Another repository as a source; it outlives the source. */
struct dataset_source repository_source(struct repository *from);

#endif
