/* SPDX-License-Identifier: Apache-2.0 */
/* token_report - tokens as rows of a table, as JSON, and when they end in a sentence.
 */
#include "net/token/token_report.h"

#include "base/file.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "net/token/base64.h"

#include <stdio.h>
#include <string.h>

#define DAY_S 86400

void token_add_columns(struct table *ret)
{
    table_add_column(ret, "expires", TABLE_TIME, "");
    table_add_column(ret, "role", TABLE_TEXT, "");
    table_add_column(ret, "host", TABLE_TEXT, "");
    table_add_column(ret, "cluster", TABLE_TEXT, "");
    table_add_column(ret, "id", TABLE_TEXT, "");
    table_add_column(ret, "seen", TABLE_TIME, "");
    table_add_column(ret, "user", TABLE_TEXT, "");
}

void token_add_row(struct table *ret, const struct token *token, int64_t seen_s)
{
    table_add_row(ret);
    table_set_i64(ret, 0, token->expires_s * MS_PER_S);
    table_set_text(ret, 1, span_of(net_role_name(token->role)));
    if (token->host[0])
        table_set_text(ret, 2, span_of(token->host));
    if (token->cluster[0])
        table_set_text(ret, 3, span_of(token->cluster));
    table_set_text(ret, 4, span_of(token->id));
    if (seen_s)
        table_set_i64(ret, 5, seen_s * MS_PER_S);
    if (token->user[0])
        table_set_text(ret, 6, span_of(token->user));
}

static int add_token_file(const char *path, struct table *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct token token = { 0 };
    int rc = file_read(path, TOKEN_TEXT_MAX, &text, err);
    if (rc == 0)
        rc = token_parse(span_trim(strbuf_span(&text)), &token, err);
    if (rc < 0)
        return err_prefix(err, rc, "%s", path);
    token_add_row(ret, &token, 0);
    return 0;
}

int token_files_read(char **paths, size_t count, struct table *ret, struct err *err)
{
    int rc = 0;
    token_add_columns(ret);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = add_token_file(paths[i], ret, err);
    return rc < 0 ? rc : table_error(ret);
}

void token_report_expiring(struct table *table, int64_t now_ms, int64_t within_ns)
{
    int64_t until_ms = now_ms + within_ns / NS_PER_MS;
    size_t count = 0;
    for (size_t i = 0; i < table->row_count; i++) {
        if (table_at(table, i, 0)->i64 > until_ms)
            continue;
        memmove(table->cells + count * table->column_count,
                table->cells + i * table->column_count,
                table->column_count * sizeof *table->cells);
        count++;
    }
    table->row_count = count;
}

void token_left_print(char out[static TOKEN_LEFT_TEXT_MAX], const struct token *token,
                      int64_t left_s)
{
    char at[TIMETEXT_SIZE];
    size_t size = timetext_print_ms(at, token->expires_s * MS_PER_S);
    if (left_s >= 2 * DAY_S)
        (void)snprintf(out, TOKEN_LEFT_TEXT_MAX, "expires in %lld days, at %.*s",
                       (long long)(left_s / DAY_S), (int)size, at);
    else
        (void)snprintf(out, TOKEN_LEFT_TEXT_MAX, "expires in %lld hours, at %.*s",
                       (long long)(left_s / 3600), (int)size, at);
}

void token_print_json(const struct token *token, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "role");
    json_text(&w, net_role_name(token->role));
    json_key(&w, "id");
    json_text(&w, token->id);
    json_key(&w, "host");
    json_text(&w, token->host[0] ? token->host : NULL);
    json_key(&w, "cluster");
    json_text(&w, token->cluster[0] ? token->cluster : NULL);
    if (token->has_key) {
        AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
        base64_print(&key, (struct span){ (const char *)token->key, TOKEN_KEY_SIZE });
        json_key(&w, "key");
        json_text(&w, strbuf_text(&key));
    }
    json_key(&w, "targets");
    json_array(&w);
    for (size_t i = 0; i < token->target_count; i++)
        json_text(&w, token->targets[i]);
    json_array_end(&w);
    json_key(&w, "user");
    json_text(&w, token->user[0] ? token->user : NULL);
    json_key(&w, "accounts");
    json_array(&w);
    for (size_t i = 0; i < token->account_count; i++)
        json_text(&w, token->accounts[i]);
    json_array_end(&w);
    json_key(&w, "issued");
    json_time_ms(&w, token->issued_s * MS_PER_S);
    json_key(&w, "expires");
    json_time_ms(&w, token->expires_s * MS_PER_S);
    json_object_end(&w);
}
