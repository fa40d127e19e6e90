/* SPDX-License-Identifier: Apache-2.0 */
/* unit_file - what memory an installed unit of systemd allows its service.
 *
 * Who checks a configuration by hand is not in the unit's control group: the limit is
 * read from where it is written.  Directories from usr/lib to etc, and in each NAME and
 * then the drop-ins of NAME.d by name; the last MemoryMax= holds.
 */
#ifndef BASE_SYSTEM_UNIT_FILE_H
#define BASE_SYSTEM_UNIT_FILE_H

#include "base/strbuf.h"

#include <stdint.h>

#define UNIT_FILE_UNLIMITED UINT64_MAX

/* name: "barod.service", or a path with a slash, which is read instead, with the
 * drop-ins of its own .d directory.  root is "" for this machine; ram_bytes is what a
 * percentage is of.  where receives the file that says so, or the unit where none does.
 * Returns UNIT_FILE_UNLIMITED where there is no limit; where is empty: no unit. */
uint64_t unit_file_memory_max(const char *root, const char *name, uint64_t ram_bytes,
                              struct strbuf *where);

#endif
