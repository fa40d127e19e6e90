/* SPDX-License-Identifier: Apache-2.0 */
/* token_key_file - a new key pair in two files. */
#ifndef NET_TOKEN_TOKEN_KEY_FILE_H
#define NET_TOKEN_TOKEN_KEY_FILE_H

#include "base/err.h"

/* PATH, which only its owner may read, and PATH.pub.
 * Errors: -EEXIST (one of them is there: it is not replaced), what writing reports. */
int token_key_create(const char *path, struct err *err);

#endif
