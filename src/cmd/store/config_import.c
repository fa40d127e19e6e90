/* SPDX-License-Identifier: Apache-2.0 */
/* store_config_import - baro store config-import: cc-metric-store's config.json as
 * sections of barod.conf. */
#include "base/file.h"
#include "cmd/commands.h"
#include "cmd/migrate_peer.h"

#include <stdio.h>

#define COMMAND "store config-import"
#define FILE_BYTES_MAX ((size_t)16 << 20)

static int convert(const char *path, struct strbuf *out, size_t *ret_comments,
                   struct err *err)
{
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    int rc = file_read(path, FILE_BYTES_MAX, &json, err);
    if (rc < 0)
        return rc;
    rc = ccms_config_convert(strbuf_span(&json), out, ret_comments, err);
    return rc < 0 && err->text[0] ? err_prefix(err, rc, "%s", path) : rc;
}

static int store_config_import_run(void *arg, int operand_count, char **operands)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    size_t comments = 0;
    (void)arg;
    if (operand_count != 1) {
        (void)err_set(&err, EINVAL, "which config.json? see --help");
        (void)migrate_failed(COMMAND, -EINVAL, &err);
        return EXIT_USAGE;
    }
    int rc = convert(operands[0], &out, &comments, &err);
    if (rc == 0)
        rc = migrate_write_stdout(NULL, strbuf_span(&out), &err);
    if (rc < 0)
        return migrate_failed(COMMAND, rc, &err);
    if (comments > 0)
        fprintf(stderr,
                "baro " COMMAND
                ": %zu keys have no counterpart in barod.conf; they are "
                "comments at the end\n",
                comments);
    return EXIT_OK;
}

const struct command cmd_store_config_import = {
    .name = COMMAND,
    .operands = "CONFIG.JSON",
    .help = "Convert cc-metric-store's configuration to sections of barod.conf.",
    .run = store_config_import_run,
    .prints_data = true,
    .details = "Reads those of versions 1.0 to 1.5.  Keys without a counterpart are "
               "comments at the\nend, each with the reason.\n",
};
