/* SPDX-License-Identifier: Apache-2.0 */
/* elf_note - the build-id of an executable or a library.
 *
 *     ELF header ─▶ program headers ─▶ PT_NOTE ─▶ "GNU", type 3 ─▶ digits
 *
 * Read from the beginning of the file alone, where linkers put it.  The file is
 * whatever a user made: every offset and size in it may be wrong.
 *
 * Threads  any.
 */
#ifndef JOBSESSION_PROVENANCE_ELF_NOTE_H
#define JOBSESSION_PROVENANCE_ELF_NOTE_H

#include "base/span_type.h"
#include "model/model.h"

#define ELF_HEAD_BYTES ((size_t)32768)
#define ELF_NAME_BYTES (JOB_FILE_BUILD_ID_BYTES_MAX + 1)

/* head: the first bytes of the file.  ret: hexadecimal; "" where there is none. */
void elf_build_id(struct span head, char ret[ELF_NAME_BYTES]);

#endif
