/* SPDX-License-Identifier: Apache-2.0
 * page.c: see page.h. */
#include "page.h"

#include "figures.h"

static const char style_sheet[] =
    ":root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1c2430;--soft:#5b6676;--line:#e3e7ed;"
    "--accepted:#4a86d8;--offered:#1c2430;--range:#e8613c;--prov:#eeb02f;--account:#8a5fc4;--max:#cc4f95;"
    "--index:#8c7a68;--split:#2a9d6f;--border:rgba(28,36,48,.45);--h0:#eef1f5;--h1:#fde9c9;--h2:#fcd29a;"
    "--h3:#fab46c;--h4:#f59150;--h5:#e86c3f;--h6:#d1462f;--h7:#a92a2b;--h8:#74162a}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#12161c;--card:#1b212a;--text:#e6eaf0;--soft:#9aa6b6;"
    "--line:#2d3542;--accepted:#5792e6;--offered:#e6eaf0;--range:#f2744e;--prov:#f0bb4b;--account:#a886e0;"
    "--max:#e070b0;--index:#ab9883;--split:#45c290;--border:rgba(230,234,240,.5);--h0:#232b36;--h1:#3b2d3f;"
    "--h2:#5c2f4b;--h3:#84344f;--h4:#ad3f4a;--h5:#d2553f;--h6:#ea7a3c;--h7:#f7a84e;--h8:#fde08a}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--text);"
    "font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",\"DejaVu Sans\",sans-serif}"
    "main{max-width:1080px;margin:0 auto;padding:32px 20px 64px}h1{font-size:27px;line-height:1.2;margin:0 0 6px}"
    "h2{font-size:19px;margin:40px 0 10px}h2 small{font-weight:400;color:var(--soft);font-size:14px}"
    ".facts{color:var(--soft);margin:0 0 18px}.story{max-width:76ch}.story p{margin:0 0 10px}"
    ".tiles{display:flex;flex-wrap:wrap;gap:12px;margin:22px 0}.tile{background:var(--card);"
    "border:1px solid var(--line);border-radius:10px;padding:10px 16px;min-width:150px}"
    ".tile b{display:block;font-size:22px;line-height:1.25}.tile span{color:var(--soft);font-size:13px}"
    "figure{background:var(--card);border:1px solid var(--line);border-radius:10px;margin:0 0 14px;"
    "padding:14px 16px 8px}figcaption{display:flex;flex-wrap:wrap;gap:4px 18px;align-items:center;margin:0 0 8px}"
    ".legend{display:inline-flex;align-items:center;gap:6px;font-size:13px;color:var(--soft);white-space:nowrap}"
    ".legend i{width:12px;height:12px;border-radius:3px;display:inline-block}.legend i.dash{height:2px;border-radius:0;"
    "background:var(--offered)}.scale{margin-left:auto;font-size:13px;color:var(--soft);"
    "display:inline-flex;align-items:center}.scale i{width:18px;height:12px;display:inline-block}"
    ".scale i:first-of-type{margin-left:6px}.scale i:last-of-type{margin-right:6px}"
    "svg{display:block;width:100%;height:auto}svg text{font-size:12px;fill:var(--soft)}"
    ".tick{text-anchor:end}.time{text-anchor:middle}.grid{stroke:var(--line);fill:none}"
    ".axis{stroke:var(--soft);fill:none}.phase{stroke:var(--soft);stroke-dasharray:3 3;fill:none}"
    "svg .name{fill:var(--text)}.line{fill:none;stroke-width:2;stroke-linejoin:round}"
    ".l-offered{stroke:var(--offered);stroke-width:1.3}.l-partitions{stroke:var(--split)}"
    ".l-write{stroke:var(--range)}.l-read{stroke:var(--accepted)}.c-accepted{fill:var(--accepted)}"
    ".c-range{fill:var(--range)}.c-prov{fill:var(--prov)}.c-account{fill:var(--account)}.c-max{fill:var(--max)}"
    ".c-index{fill:var(--index)}.e-split{fill:var(--split)}.e-veto{fill:var(--range)}.e-action{fill:var(--account)}"
    ".h-none{fill:var(--h0)}.border{stroke:var(--border);stroke-width:1;fill:none}"
    ".h1{fill:var(--h1)}.h2{fill:var(--h2)}.h3{fill:var(--h3)}.h4{fill:var(--h4)}.h5{fill:var(--h5)}"
    ".h6{fill:var(--h6)}.h7{fill:var(--h7)}.h8{fill:var(--h8)}"
    ".b1{background:var(--h1)}.b2{background:var(--h2)}.b3{background:var(--h3)}.b4{background:var(--h4)}"
    ".b5{background:var(--h5)}.b6{background:var(--h6)}.b7{background:var(--h7)}.b8{background:var(--h8)}"
    ".scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:10px;margin:0 0 14px}"
    "table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums}"
    "th,td{padding:6px 12px;text-align:right;white-space:nowrap;border-top:1px solid var(--line)}"
    "tr:first-child th{border-top:0}th{font-weight:600;color:var(--soft)}th.l,td.l{text-align:left}"
    "td.wrap{white-space:normal;min-width:15em}"
    "details{margin:0 0 14px}summary{cursor:pointer;color:var(--soft);margin:0 0 8px}"
    ".bar{min-width:90px}.bar i{display:block;height:10px;border-radius:3px;background:var(--range)}"
    ".advice{list-style:none;margin:0 0 14px;padding:0;max-width:92ch}.advice li{margin:0 0 8px}"
    ".advice b{border-left:4px solid var(--line);padding-left:8px}.advice .problem{border-color:var(--range)}"
    ".advice .warning{border-color:var(--prov)}.fails{color:var(--range);font-weight:600}"
    ".holds{color:var(--split);font-weight:600}h3{font-size:15px;margin:18px 0 8px}"
    "footer{color:var(--soft);font-size:13px;margin-top:40px}";

void td_page_begin(td_buf *buf, td_slice title)
{
    td_buf_append_lit(buf, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>");
    td_page_append_html(buf, title);
    td_buf_append_format(buf, "</title>\n<style>%s</style></head>\n<body><main><h1>", style_sheet);
    td_page_append_html(buf, title);
    td_buf_append_lit(buf, "</h1>\n");
}

void td_page_end(td_buf *buf, const char *footer)
{
    td_buf_append_format(buf, "<footer>%s</footer>\n</main></body></html>\n", footer);
}

void td_page_write_tile(td_buf *buf, const char *figure, const char *meaning)
{
    td_buf_append_format(buf, "<div class=\"tile\"><b>%s</b><span>%s</span></div>", figure, meaning);
}
