/* SPDX-License-Identifier: Apache-2.0 */
/* helper - a program that only other programs start: where it is installed, or beside
 * the one that runs, as in a build directory. */
#ifndef BASE_SYSTEM_HELPER_H
#define BASE_SYSTEM_HELPER_H

#include <limits.h>

/* installed: its path in an installed tree; path: PATH_MAX bytes.  Returns installed
 * where it can be executed there, else path where the program of that name beside this
 * process's own can be, else installed. */
const char *helper_find(const char *installed, char *path);

#endif
