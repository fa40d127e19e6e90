/* SPDX-License-Identifier: Apache-2.0 */
/* job_log_html - what a log has of interfaces, sizes of accesses, files, and of bytes
 * over time. */
#include "report/job/job_log_html.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "model/model.h"
#include "report/job/html_map.h"
#include "report/job/html_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BAR_WIDTH 100.0
#define SECONDS_MAX 9e9   /* later ones are no times in nanoseconds */
#define NAME_BYTES_MAX 56 /* of a path: its end names the file */

/* ---- cells ---- */

static void cell(const char *class_name, const char *text, struct strbuf *out)
{
    html_element(out, "td", class_name, span_of(text));
}

/* Nothing is an empty cell: a table of noughts is hard to read. */
static void bytes_cell(double bytes, struct strbuf *out)
{
    char text[FIGURE_SIZE] = "";
    if (bytes > 0)
        figure_print_bytes(text, sizeof text, bytes);
    cell("num", text, out);
}

static void count_cell(double count, struct strbuf *out)
{
    char text[FIGURE_SIZE] = "";
    if (count > 0)
        figure_print_count(text, sizeof text, count);
    cell("num", text, out);
}

static void seconds_cell(double seconds, struct strbuf *out)
{
    char text[FIGURE_SIZE] = "";
    if (seconds > 0 && seconds < SECONDS_MAX)
        figure_print_duration(text, sizeof text, (int64_t)(seconds * (double)NS_PER_S));
    cell("num", text, out);
}

static void sums_cells(const struct log_sums *sums, struct strbuf *out)
{
    bytes_cell(sums->bytes_read, out);
    bytes_cell(sums->bytes_written, out);
    seconds_cell(sums->read_s, out);
    seconds_cell(sums->write_s, out);
    seconds_cell(sums->meta_s, out);
}

/* ---- interfaces ---- */

static void interfaces_print(const struct log_work *work, struct strbuf *out)
{
    strbuf_adds(out, "<h3>By interface</h3>\n<div class='wide'><table><thead><tr>"
                     "<th>Interface</th><th class='num'>Read</th><th class='num'>"
                     "Written</th><th class='num'>Time reading</th><th class='num'>"
                     "Writing</th><th class='num'>Metadata</th><th class='num'>Reads"
                     "</th><th class='num'>Writes</th><th class='num'>Metadata calls"
                     "</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < work->interface_count; i++) {
        const struct log_interface *interface = &work->interfaces[i];
        strbuf_adds(out, "<tr>");
        html_element(out, "th", NULL, span_of(interface->name));
        sums_cells(&interface->sums, out);
        count_cell(interface->sums.reads, out);
        count_cell(interface->sums.writes, out);
        count_cell(interface->sums.calls, out);
        strbuf_adds(out, "</tr>\n");
    }
    strbuf_adds(out, "</tbody></table></div>\n<p class='note'>Times are added up over "
                     "all processes. What one interface does through another stands "
                     "in both rows.</p>\n");
}

/* ---- accesses by size ---- */

static void bar_cell(double count, double most, const char *class_name,
                     struct strbuf *out)
{
    char text[FIGURE_SIZE] = "";
    double width = most > 0 ? BAR_WIDTH * count / most : 0;
    if (count > 0)
        figure_print_count(text, sizeof text, count);
    strbuf_adds(out, "<td class='bars'>");
    if (count > 0)
        strbuf_addf(out,
                    "<svg class='bar' viewBox='0 0 100 8' preserveAspectRatio='none' "
                    "aria-hidden='true'><rect class='%s' width='%.1f' height='8'/>"
                    "</svg>",
                    class_name, fmax(width, 0.5));
    strbuf_addf(out, "</td><td class='num'>%s</td>", text);
}

static double sizes_most(const struct log_interface *interface)
{
    double most = 0;
    for (size_t i = 0; i < LOG_SIZE_CLASSES; i++)
        most = fmax(most, fmax(interface->read_sizes[i], interface->write_sizes[i]));
    return most;
}

static bool has_size(const struct log_interface *interface, size_t index)
{
    return interface->read_sizes[index] > 0 || interface->write_sizes[index] > 0;
}

/* From the first class that has any to the last. */
static void sizes_print(const struct log_interface *interface, struct strbuf *out)
{
    double most = sizes_most(interface);
    if (!interface->has_sizes || !(most > 0))
        return;
    strbuf_addf(out,
                "<div class='wide'><table class='sizes'><thead><tr><th>%s</th>"
                "<th colspan='2'>Reads</th><th colspan='2'>Writes</th></tr></thead>"
                "<tbody>\n",
                interface->name);
    size_t first = 0, end = LOG_SIZE_CLASSES;
    while (first < end && !has_size(interface, first))
        first++;
    while (end > first && !has_size(interface, end - 1))
        end--;
    for (size_t i = first; i < end; i++) {
        strbuf_adds(out, "<tr>");
        html_element(out, "th", NULL, span_of(log_size_class(i)));
        bar_cell(interface->read_sizes[i], most, "reads", out);
        bar_cell(interface->write_sizes[i], most, "writes", out);
        strbuf_adds(out, "</tr>\n");
    }
    strbuf_adds(out, "</tbody></table></div>\n");
}

static void histograms_print(const struct log_work *work, struct strbuf *out)
{
    double most = 0;
    for (size_t i = 0; i < work->interface_count; i++)
        most = fmax(most, sizes_most(&work->interfaces[i]));
    if (!(most > 0))
        return;
    strbuf_adds(out, "<h3>Accesses by size</h3>\n");
    for (size_t i = 0; i < work->interface_count; i++)
        sizes_print(&work->interfaces[i], out);
}

/* ---- files ---- */

/* "../runs/out.h5": the end of a long path names the file; all of it is in the title.
 */
static void name_cell(const struct log_file *file, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf shown = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf whole = STRBUF_INIT;
    entry_id_print(&whole, span_of(file->name ? file->name : "(not named)"));
    struct span name = strbuf_span(&whole);
    if (name.size > NAME_BYTES_MAX) {
        size_t skip = name.size - NAME_BYTES_MAX;
        const char *slash = memchr(name.data + skip, '/', NAME_BYTES_MAX - 16);
        skip = slash ? (size_t)(slash - name.data) : skip;
        strbuf_addf(&shown, "..%.*s", (int)(name.size - skip), name.data + skip);
    } else {
        strbuf_add_span(&shown, name);
    }
    strbuf_adds(out, "<th title=\"");
    html_add_escaped(out, name);
    strbuf_adds(out, "\">");
    html_add_escaped(out, strbuf_span(&shown));
    strbuf_adds(out, "</th>");
}

static void interfaces_cell(const struct log_file *file, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    log_file_interfaces_print(file, &text);
    html_element(out, "td", NULL, strbuf_span(&text));
}

static void file_row(const struct log_file *file, struct strbuf *out)
{
    strbuf_adds(out, "<tr>");
    name_cell(file, out);
    sums_cells(&file->sums, out);
    count_cell((double)file->processes, out);
    count_cell(file->stripes > 0 ? (double)file->stripes : 0, out);
    interfaces_cell(file, out);
    strbuf_adds(out, "</tr>\n");
}

static void files_table(const char *title, const struct log_file *const *files,
                        size_t count, struct strbuf *out)
{
    html_element(out, "h3", NULL, span_of(title));
    strbuf_adds(out, "<div class='wide'><table class='files'><thead><tr><th>File</th>"
                     "<th class='num'>Read</th><th class='num'>Written</th>"
                     "<th class='num'>Time reading</th><th class='num'>Writing</th>"
                     "<th class='num'>Metadata</th><th class='num'>Processes</th>"
                     "<th class='num'>Stripes</th><th>Interfaces</th></tr></thead>"
                     "<tbody>\n");
    for (size_t i = 0; i < count; i++)
        file_row(files[i], out);
    strbuf_adds(out, "</tbody></table></div>\n");
}

static bool has_others(const struct log_file *const *files, size_t count,
                       const struct log_file *const *than, size_t than_count)
{
    for (size_t i = 0; i < count; i++) {
        bool is_there = false;
        for (size_t j = 0; j < than_count; j++)
            is_there = is_there || files[i] == than[j];
        if (!is_there)
            return true;
    }
    return false;
}

static void files_print(const struct log_work *work, struct strbuf *out)
{
    const struct log_file *by_time[LOG_WORK_TOP], *by_bytes[LOG_WORK_TOP];
    size_t times = log_work_top(work, LOG_WORK_BY_TIME, by_time);
    size_t bytes = log_work_top(work, LOG_WORK_BY_BYTES, by_bytes);
    if (times > 0)
        files_table("Files with most time", by_time, times, out);
    if (has_others(by_bytes, bytes, by_time, times))
        files_table("Files with most bytes", by_bytes, bytes, out);
    unsigned long long files = (unsigned long long)work->file_count + work->left_out;
    strbuf_addf(out,
                "<p class='note'>Of %llu file%s. Times are added up over all "
                "processes, in the outermost interface of each file.</p>\n",
                files, files == 1 ? "" : "s");
    if (work->left_out > 0)
        strbuf_addf(out,
                    "<p class='note'>%llu of them were not looked at: too many."
                    "</p>\n",
                    (unsigned long long)work->left_out);
}

void job_log_work_html(const struct log_work *work, struct strbuf *out)
{
    if (work->interface_count == 0)
        return;
    strbuf_adds(out, "<section><h2>Its log in detail</h2>\n");
    interfaces_print(work, out);
    histograms_print(work, out);
    files_print(work, out);
    strbuf_adds(out, "</section>\n");
}

/* ---- bytes over time ---- */

static bool heat_map_print(const struct log_heat *heat, enum log_heat_kind kind,
                           struct strbuf *out)
{
    static const char *const titles[LOG_HEAT_KINDS] = {
        [LOG_HEAT_PROCESSES] = "Bytes by process",
        [LOG_HEAT_NODES] = "Bytes by node",
        [LOG_HEAT_TARGETS] = "Bytes by target",
    };
    const struct log_heat_map *from = &heat->maps[kind];
    if (from->count == 0)
        return false;
    AUTO_FREE struct row_map_row *rows = calloc(from->count, sizeof *rows);
    if (!rows) {
        out->error = -ENOMEM;
        return false;
    }
    for (size_t i = 0; i < from->count; i++)
        rows[i] = (struct row_map_row){ from->rows[i].name, from->rows[i].values };
    const struct row_map map = { .title = titles[kind],
                                 .rows = rows,
                                 .row_count = from->count,
                                 .columns = LOG_HEAT_COLUMNS,
                                 .from_s = heat->from_s,
                                 .to_s = heat->to_s };
    if (!html_map_print(&map, "B/s", out))
        return false;
    strbuf_addf(out, "<p class='note'>Read and written, by the log's %s.</p>\n",
                from->source ? from->source : "records");
    if (from->left_out > 0)
        strbuf_addf(out, "<p class='note'>The first %zu of %zu.</p>\n", from->count,
                    from->count + from->left_out);
    return true;
}

void job_log_heat_html(const struct log_heat *heat, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf maps = STRBUF_INIT;
    for (int kind = 0; kind < LOG_HEAT_KINDS; kind++)
        (void)heat_map_print(heat, (enum log_heat_kind)kind, &maps);
    if (strbuf_error(&maps) < 0)
        out->error = -ENOMEM;
    if (maps.size == 0)
        return;
    strbuf_adds(out, "<section><h2>Its bytes over time</h2>\n");
    strbuf_add_span(out, strbuf_span(&maps));
    strbuf_adds(out, "</section>\n");
}
