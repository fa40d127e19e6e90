/* SPDX-License-Identifier: Apache-2.0 */
/* baro-pam - checks one name and password by PAM, for barod.
 *
 *     baro-pam SERVICE [DIRECTORY]     question on standard input, result on standard
 *                                      output: signin/login_message.h
 *
 * A process for each: PAM may block, and its modules are the site's.  It opens no
 * session.  Run by barod, or as root by systemd on a socket that barod may connect to;
 * then SERVICE is the unit's, not the client's.
 */
#include "base/cleanup.h"
#include "base/span.h"
#include "signin/pam/pam.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char input[LOGIN_REQUEST_BYTES_MAX];

static size_t read_input(void)
{
    size_t size = 0;
    while (size < sizeof input) {
        ssize_t got = read(STDIN_FILENO, input + size, sizeof input - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        size += (size_t)got;
    }
    return size;
}

int main(int argc, char **argv)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct login_result result = { .verdict = LOGIN_UNAVAILABLE };
    struct login_question question;
    if (argc < 2 || argc > 3 || strchr(argv[1], '/')) {
        fputs("usage: baro-pam SERVICE [DIRECTORY], for barod\n", stderr);
        return 2;
    }
    pam_protect();
    size_t size = read_input();
    if (login_question_parse((struct span){ input, size }, &question) < 0)
        return 1;
    pam_check(argv[1], argc > 2 ? argv[2] : NULL, &question, &result);
    if (result.verdict == LOGIN_OK || result.verdict == LOGIN_EXPIRED)
        login_account_find(&question, &result);
    explicit_bzero(input, sizeof input);
    login_result_print(&result, &out);
    if (write(STDOUT_FILENO, out.data, out.size) != (ssize_t)out.size)
        return 1;
    _exit(0); /* nothing of what modules left behind runs any more */
}
