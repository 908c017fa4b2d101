// SPDX-License-Identifier: MIT
#include "format/percent.hpp"
#include "html_parts.hpp"
#include "page/text/histogram_text.hpp"

namespace perfdata {
namespace {

// A bar is drawn beside the percentage: `--s` is its share of the longest.
void write_bucket(HtmlWriter& html, const FieldHistogram& histogram, const HistogramBucket& bucket,
                  std::uint64_t most) {
    const auto of_most = static_cast<double>(bucket.samples) / static_cast<double>(most);
    html.raw("<tr><th scope=row>").text(histogram.label_of(bucket));
    html.print("<td>{}<td>{}", bucket.samples, percent_text(share(bucket.samples, histogram.samples), 1));
    if (bucket.samples != 0) html.print("<i style=--s:{:.4f}></i>", of_most);
    html.raw("\n");
}

void write_histogram(HtmlWriter& html, const FieldHistogram& histogram, std::string_view event) {
    html.raw("<div><table class=\"ct hi\"><caption>").text(histogram.field, 100).raw(" of ").text(event, 100);
    html.print(" <small>{} sample{}", histogram.samples, histogram.samples == 1 ? "" : "s");
    if (histogram.samples != 0) {
        html.print(", least {}, most {}, mean {}", histogram.text_of(histogram.least),
                   histogram.text_of(histogram.most), mean_text(histogram.mean));
    }
    if (histogram.no_value != 0) html.print("; without a value: {}", histogram.no_value);
    html.raw(
        "</small></caption><thead><tr><th scope=col class=n>values<th scope=col class=n>samples"
        "<th scope=col title=\"% of the samples with a value\">%<tbody>\n");
    std::uint64_t most = 0;
    for (const auto& bucket : histogram.buckets) most = most < bucket.samples ? bucket.samples : most;
    for (const auto& bucket : histogram.buckets) write_bucket(html, histogram, bucket, most);
    html.raw("</table></div>");
}

}  // namespace

void write_html_histograms(HtmlWriter& html, const HtmlModel& model) {
    const auto& page = model.page();
    if (page.histograms.empty()) return;
    html.raw(
        "<section id=fields><h2>Fields</h2><p class=hint>Values of fields of tracepoints, by powers of two. A bracket "
        "[ ] includes the value beside it, ( ) does not; 1K is 1024.");
    if (page.without_field != 0) html.raw(" ").text(without_field_text(page.without_field)).raw(".");
    html.raw("</p><div class=cl>");
    const auto& events = page.recording.events().events();
    for (const auto& histogram : page.histograms) write_histogram(html, histogram, events[histogram.event].name);
    html.raw("</div></section>\n");
}

}  // namespace perfdata
