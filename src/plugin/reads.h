/* SPDX-License-Identifier: Apache-2.0 */
/* reads - the files that a plugin may read: opened here, used in the host process.
 *
 *     the manifest's paths ─glob─▶ open ─▶ a regular file that all users may read,
 *                                          whose true path is in the allow-list
 *
 * The list is the administrator's: patterns of paths, / being matched by * too.  What
 * other users may not read is not opened, whatever the agent's own privileges are.
 */
#ifndef PLUGIN_READS_H
#define PLUGIN_READS_H

#include "base/cleanup.h"
#include "plugin/protocol/protocol.h"

struct reads {
    size_t count, refused; /* refused: matched, and may not be read */
    int fds[FRAME_FILES_MAX];
    char paths[FRAME_FILES_MAX][PLUGIN_READ_MAX + 128]; /* without root */
    char why[256];                                      /* of the first refused one */
};

/* What plugins may read where the configuration names nothing: counters of the kernel
 * in proc and sys that concern no process. */
extern const char *const reads_default[];
extern const size_t reads_default_count;

/* root: the prefix of all paths, "" for this machine.  Paths that are not there are
 * left out; over FRAME_FILES_MAX files the rest is refused. */
void reads_open(const char *root, const struct plugin_manifest *manifest,
                const char *const *patterns, size_t pattern_count, struct reads *ret);
void reads_close(struct reads *reads);
DEFINE_AUTO_DONE(struct reads, reads_close);

#endif
