/* SPDX-License-Identifier: Apache-2.0 */
/* file_name - the names of the files in a store's directory.
 *
 *     manifest-00000017  index-00000017-0  blocks-00000017-0  log-0-00000021
 *     archive-00000012
 */
#ifndef STORE_FILES_FILE_NAME_H
#define STORE_FILES_FILE_NAME_H

#include <stdbool.h>
#include <stdint.h>

#define STORE_PATH_MAX 4096

enum store_file_kind {
    STORE_FILE_MANIFEST,
    STORE_FILE_INDEX,
    STORE_FILE_BLOCKS,
    STORE_FILE_ARCHIVE,
    STORE_FILE_LOG,
    STORE_FILE_KIND_COUNT,
};

struct store_file {
    enum store_file_kind kind;
    uint64_t number; /* of the checkpoint, or of the segment */
    unsigned shard;  /* 0 where there is none */
};

/* False: a name that no file of a store has. */
bool store_file_parse(const char *text, struct store_file *ret);

/* dir, a slash and the name; cut where that is longer. */
void store_file_path(char out[static STORE_PATH_MAX], const char *dir,
                     const struct store_file *file);

/* The number of the newest manifest by its name; 0: there is none. */
uint64_t store_newest_manifest(const char *dir);

#endif
