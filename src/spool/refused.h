/* SPDX-License-Identifier: Apache-2.0 */
/* refused - the ring of files in refused/: what no server takes, for a person to look
 * at.
 *
 *     refused/00.json.zst ... 99.json.zst   the newest REFUSED_FILES_MAX of them
 */
#ifndef SPOOL_REFUSED_H
#define SPOOL_REFUSED_H

#define REFUSED_FILES_MAX 100

/* The number behind that of the newest file in dir, by the time of writing: what the
 * process before has set aside is overwritten last.  0: there is none. */
unsigned refused_next(const char *dir);

#endif
