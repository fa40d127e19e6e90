/* SPDX-License-Identifier: Apache-2.0 */
/* series_make - writes a small series, for tests of whole programs.
 *
 *     series_make database PATH [SQL]
 *     series_make h5lmt PATH
 */
#include "base/cleanup.h"
#include "source/lmt/test/series_maker.h"

#include <string.h>

int main(int argc, char **argv)
{
    struct err err = { 0 };
    int rc = -EINVAL;
    if (argc > 2 && strcmp(argv[1], "database") == 0)
        rc = make_database(argv[2], argc > 3 ? argv[3] : NULL, &err);
    else if (argc > 2 && strcmp(argv[1], "h5lmt") == 0)
        rc = make_h5lmt(argv[2], &err);
    if (rc < 0)
        fprintf(stderr, "series_make: %s\n", err.text);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
