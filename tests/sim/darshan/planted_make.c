/* SPDX-License-Identifier: Apache-2.0 */
/* planted_make - writes a Darshan log with one known difference to standard output.
 *
 *     planted_make FAMILY SEED       FAMILY as in planted.c; "" for none
 */
#include "planted.h"

#include "base/err.h"
#include "base/number.h"
#include "base/span.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
    uint64_t seed = 0;
    int kind = 0;
    if (argc != 3 || number_parse_u64(span_of(argv[2]), &seed) < 0)
        return EXIT_USAGE;
    while (kind < PLANTED_COUNT &&
           strcmp(planted_family((enum planted)kind), argv[1]) != 0)
        kind++;
    if (kind == PLANTED_COUNT)
        return EXIT_USAGE;
    planted_make((enum planted)kind, seed, &log);
    return fwrite(log.data, 1, log.size, stdout) == log.size ? EXIT_OK : EXIT_FAILED;
}
