/* SPDX-License-Identifier: Apache-2.0 */
/* stats - baro dataset stats: the counters of a baro-datasetd. */
#include "base/number.h"
#include "base/span.h"
#include "cmd/dataset/args.h"
#include "dataset/forwarder/forwarder.h"

static void counters_add(struct table *out, struct span text)
{
    struct span line, name;
    uint64_t value;
    table_add_column(out, "counter", TABLE_TEXT, "");
    table_add_column(out, "value", TABLE_U64, "");
    while (text.size) {
        (void)span_cut(&text, '\n', &line);
        (void)span_cut(&line, ' ', &name);
        if (number_parse_u64(line, &value) < 0)
            continue;
        table_add_row(out);
        table_set_text(out, 0, name);
        table_set_u64(out, 1, value);
    }
}

static int dataset_stats_run(void *arg, int operand_count, char **operands)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    table_init(&table);
    if (operand_count != 1)
        return dataset_args_misused("dataset stats",
                                    "where the server listens for others");
    int rc = forwarder_stats_fetch(operands[0], &text, &err);
    if (rc == 0) {
        counters_add(&table, strbuf_span(&text));
        rc = table_error(&table);
    }
    if (rc == 0)
        rc = dataset_args_print(arg, &table, &err);
    return rc < 0 ? dataset_args_failed("dataset stats", rc, &err) : EXIT_OK;
}

static const struct option options[] = { DATASET_FORM_OPTIONS };

const struct command cmd_dataset_stats = {
    .name = "dataset stats",
    .operands = "ADDRESS",
    .help = "The counters of a baro-datasetd: hits, misses, bytes, what was corrupt.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct dataset_args),
    .run = dataset_stats_run,
};
