/* SPDX-License-Identifier: Apache-2.0 */
/* site - the file systems of a site, as configured: which server's "scratch" is which,
 * and in what formats their clients write identifiers.
 *
 *     [filesystem scratch]            an instance, by the name the site gives it
 *     fsname = scratch                as in target names; default: the section's name
 *     servers = mds[01-02],oss[01-08] default: any server
 *     cluster = alex                  whose jobs use it; default: every cluster's
 *     jobid_name = %j:%u:%H           tried in this order
 *     jobid_name = %e.%u
 *     namespace = %j:%u:%H 2e79b8a1-c4fc-45ba-9023-d16fdce6e3fe
 *     namespace = unmatched 0e8c1c8a-6d0b-4f5c-9d3c-2f1f4d0a7b11
 *
 * A namespace that is not configured is drawn at random once and stored in the records.
 * Targets of no configured file system belong to an instance named by their fsname,
 * with the formats %j:%u:%H, %e.%u; where that name is a configured instance's, which
 * the server does not belong to, "@other" is added.
 *
 * Threads  read-only after site_new: any.
 */
#ifndef MODEL_SITE_H
#define MODEL_SITE_H

#include "base/arena.h"
#include "base/config.h"
#include "base/uuid.h"
#include "model/series.h"

struct site;

extern const struct config_section site_config_section; /* [filesystem NAME] */

/* config NULL: nothing is configured.
 * Errors: -EINVAL (a format, host set or namespace; a namespace given twice: err names
 * section and value), -ENOMEM. */
int site_new(const struct config *config, struct site **ret, struct err *err);
void site_free(struct site *site);
DEFINE_AUTO(struct site, site_free);

/* The formats of targets of no configured file system, instead of the two above; before
 * the site is used.  On errors some of them hold: it is of no use.
 * Errors: -EINVAL (a format, or more than 16), -ENOMEM. */
int site_set_formats(struct site *site, const char *const *formats, size_t count,
                     struct err *err);

/* The instance a target belongs to when server reports it; the span lives as long as
 * site, or points into target. */
struct span site_fs(const struct site *site, struct span server, struct span target);

/* May a job of the cluster use it?  Of what is not configured, and of an empty cluster:
 * yes. */
bool site_fs_is_of(const struct site *site, struct span fs, struct span cluster);
/* Does any configured file system name a cluster? */
bool site_names_clusters(const struct site *site);
/* The configured file systems that jobs of the cluster may use: start with *cursor = 0;
 * false at the end. */
bool site_next_fs_of(const struct site *site, struct span cluster, size_t *cursor,
                     struct span *ret_fs);
/* May jobs of both use one file system?  Where one of them is empty, or no file system
 * names a cluster: yes. */
bool site_clusters_meet(const struct site *site, struct span a, struct span b);

/* Fill everything of *ret but sid and id from target and identifier; spans point into
 * arguments, arena or site.  Fields are in their text form (entry_id_print).
 * Errors: -ENOMEM. */
int site_describe(const struct site *site, struct span fs, struct span target,
                  enum target_kind kind, struct span entry_id, bool exact,
                  struct arena *arena, struct series *ret);

/* The configured namespace of a format (data NULL: unmatched); false: none. */
bool site_namespace(const struct site *site, struct span fs, struct span format,
                    struct uuid *ret);

/* Every configured namespace: start with *cursor = 0; false at the end. */
bool site_next_namespace(const struct site *site, size_t *cursor, struct span *ret_fs,
                         struct span *ret_format, struct uuid *ret);

#endif
