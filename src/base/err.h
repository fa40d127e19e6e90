/* SPDX-License-Identifier: Apache-2.0 */
/* err - what went wrong, as a code for the caller and a line for a person.
 *
 * Functions return 0 or -errno and leave their outputs untouched on failure.  Where
 * the code alone would leave an operator guessing, they also take a struct err *, which
 * may be NULL.  Libraries never log; the program that called decides who hears of it.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <errno.h>
#include <stdarg.h>

struct err {
    char text[512];
};

enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
};

/* Fill *err (which may be NULL) and return -errnum.  Keeps errno as it was. */
int err_set(struct err *err, int errnum, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int err_vset(struct err *err, int errnum, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

/* Put "words: " before what *err says already; returns rc unchanged, so that a caller
 * adds where it happened on the way out.  Where rc is no failure *err stays. */
int err_prefix(struct err *err, int rc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The one table from errno (positive or negative) to HTTP status and to exit status. */
int err_http_status(int errnum);
int err_exit_status(int errnum);

#endif
