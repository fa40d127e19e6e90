/* SPDX-License-Identifier: Apache-2.0 */
/* store_files - the block files and archives that a store reads from at one moment. */
#include "store/files/store_files.h"

#include <errno.h>
#include <stdlib.h>

int store_files_new(size_t blocks, size_t archives, struct store_files **ret)
{
    AUTO(store_files_free) struct store_files *files = calloc(1, sizeof *files);
    if (!files)
        return -ENOMEM;
    files->blocks = calloc(blocks + 1, sizeof(struct block_file *));
    files->archives = calloc(archives + 1, sizeof(struct archive_file *));
    if (!files->blocks || !files->archives)
        return -ENOMEM;
    *ret = TAKE(files);
    return 0;
}

void store_files_free(struct store_files *files)
{
    if (!files)
        return;
    free(files->blocks);
    free(files->archives);
    free(files);
}

void store_files_close(struct store_files *files)
{
    for (size_t i = 0; files && i < files->block_count; i++)
        block_file_close(files->blocks[i]);
    for (size_t i = 0; files && i < files->archive_count; i++)
        archive_file_close(files->archives[i]);
    store_files_free(files);
}
