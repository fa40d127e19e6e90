/* SPDX-License-Identifier: Apache-2.0 */
/* html_map - rows over time as a figure of an HTML page. */
#include "report/job/html_map.h"

#include "report/job/html_text.h"
#include "report/unusual/unusual.h"

#include <errno.h>

static void caption_print(const struct row_map *map, const char *unit,
                          struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char low[FOOTPRINT_VALUE_SIZE], high[FOOTPRINT_VALUE_SIZE];
    double from, to;
    row_map_range(map, &from, &to);
    strbuf_addf(&text, "%s: faint %s, strong %s", map->title,
                footprint_value_text(low, from, unit),
                footprint_value_text(high, to, unit));
    if (map->row_count > ROW_MAP_ROWS_MAX)
        strbuf_addf(&text, "; %d of %zu rows, those that differ most", ROW_MAP_ROWS_MAX,
                    map->row_count);
    html_element(out, "figcaption", NULL, strbuf_span(&text));
}

bool html_map_print(const struct row_map *map, const char *unit, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf picture = STRBUF_INIT;
    int rc = row_map_svg(map, &picture);
    if (rc < 0 && rc != -ENODATA)
        out->error = rc;
    if (rc < 0)
        return false;
    strbuf_adds(out, "<figure>");
    caption_print(map, unit, out);
    strbuf_adds(out, "<div class='wide'>");
    strbuf_add_span(out, strbuf_span(&picture));
    strbuf_adds(out, "</div></figure>\n");
    return true;
}
