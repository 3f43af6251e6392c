#include "chronoveil/report/page/page.h"

#include <fmt/format.h>

#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/page/markup.h"

namespace chronoveil::report {
namespace {

// Colours have a contrast of at least 4.5 to 1 against their ground in both schemes (WCAG AA); a browser test measures.
constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--ground:#fff;--raised:#f4f6f6;--ink:#1b2730;--soft:#51606c;--rule:#dbe1e4;--accent:#0b6b74;
--band:#0b6b7430;--truth:#b4530f;--warn-ink:#7a3b00;--warn:#fff1df;--good:#dff0ea;--good-ink:#14523f;
--h0:#eef2f3;--h1:#d9e8e8;--h2:#bcdada;--h3:#98c8ca;--h4:#6fb1b5;--h5:#43979d;--h6:#1f7a82;--h7:#0a5059}
@media (prefers-color-scheme:dark){:root{--ground:#11181d;--raised:#1a242b;--ink:#e7edf0;--soft:#a7b5bf;--rule:#2d3a43;
--accent:#63c7c8;--band:#63c7c830;--truth:#f0a35e;--warn-ink:#ffd9a8;--warn:#43290c;--good:#153a30;--good-ink:#a6e3cd;
--h0:#18222a;--h1:#1b323a;--h2:#1e454e;--h3:#225c64;--h4:#2c777d;--h5:#3f9699;--h6:#62b8b6;--h7:#a3e0d8}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.42 system-ui,-apple-system,"Segoe UI",Roboto,
"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:break-word}
main{max-width:1120px;margin:0 auto;padding:14px 16px 48px}
h1{font-size:22px;line-height:1.2;margin:0 0 2px;font-weight:650;letter-spacing:-.01em;text-wrap:balance}
h2{font-size:19px;line-height:1.25;margin:0 0 10px;font-weight:650;letter-spacing:-.005em}
h3{font-size:15px;margin:22px 0 6px;font-weight:650}
p{margin:0 0 10px;max-width:70ch}
section{margin-top:44px}
.sub,.quiet{color:var(--soft)}
.sub{margin:0 0 12px;font-size:14px}
.banner{background:var(--warn);color:var(--warn-ink);padding:10px 16px;text-align:center;font-weight:600}
.lead{margin-top:0}
.lead .newest{font-size:20px;line-height:1.3;font-weight:650;max-width:none;margin-bottom:6px}
h1+.sub+.promise{margin-top:0}
.notice{background:var(--warn);color:var(--warn-ink);border-radius:8px;padding:8px 12px}
.promise{display:grid;gap:12px}
.facts{margin:0;display:grid;gap:9px}
.facts dt,.facts dd{display:inline;margin:0}
.facts dt{font-weight:650;color:var(--accent)}
.facts .notice{background:var(--warn);color:var(--warn-ink);border-radius:8px;padding:5px 10px;margin:0 -10px}
.facts .notice dt{color:inherit}
.strength{background:var(--raised);border-radius:10px;padding:10px 14px;border-left:4px solid var(--accent)}
.strength p{margin:0;font-size:14px}
.strength .numbers{font-size:20px;font-weight:650;margin-bottom:2px}
.strength .numbers span{margin-right:1.1em;white-space:nowrap}
.strength .cert{margin-top:4px;color:var(--soft)}
.tag{display:inline-block;border-radius:5px;padding:0 7px;font-size:13px;font-weight:600;background:var(--raised);
color:var(--soft);white-space:nowrap}
.tag.good{background:var(--good);color:var(--good-ink)}
.tag.warn{background:var(--warn);color:var(--warn-ink)}
.charts{display:grid;gap:28px 32px}
.charts>*{min-width:0}
figure{margin:0}
figcaption{margin-bottom:8px;display:flex;flex-wrap:wrap;gap:0 10px;align-items:baseline}
figcaption span{color:var(--soft);font-size:13px}
.plot{position:relative;height:170px;margin:0 4px 26px 52px}
.large .plot{height:260px}
.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.plot i{position:absolute;font-style:normal;font-size:12px;line-height:14px;color:var(--soft);white-space:nowrap}
.axis{font-size:12px;line-height:14px;color:var(--soft);margin:0 0 12px;max-width:none}
.axis.across{margin:0 0 6px;text-align:right}
.marks label{position:absolute;top:0;bottom:0}
.marks input{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0}
.marks span{display:none;position:absolute;left:0;bottom:100%;z-index:2;background:var(--ink);color:var(--ground);
font-size:13px;line-height:1.3;padding:3px 8px;border-radius:6px;width:max-content;max-width:min(320px,42vw);
pointer-events:none}
.marks .far span{left:auto;right:0}
.marks label:hover,.marks label:focus-within{background:var(--band)}
.marks label:hover span,.marks label:focus-within span{display:block}
.of-cells label{pointer-events:none}
.of-cells input{appearance:none;pointer-events:auto}
.hexagons input{clip-path:polygon(50% 0,100% 25%,100% 75%,50% 100%,0 75%,0 25%)}
.of-cells label:hover,.of-cells label:focus-within{background:none}
.of-cells label:hover input,.of-cells label:focus-within input{background:var(--ink);opacity:.45}
.plot .y{right:100%;margin-right:7px;transform:translateY(50%);max-width:48px;overflow:hidden;text-overflow:ellipsis}
.plot .x{top:100%;margin-top:6px;transform:translateX(-50%)}
.plot .x.first{transform:none}
.plot .x.last{transform:translateX(-100%)}
.map{margin-top:36px}
.map .plot{margin-left:96px;background:var(--h0)}
.map .plot .y{max-width:90px}
path{fill:none;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.grid{stroke:var(--rule);stroke-width:1}
.band{fill:var(--band)}
.line{stroke:var(--accent);stroke-width:1.6}
.truth{stroke:var(--truth);stroke-width:1.4}
.dots{stroke:var(--accent);stroke-width:5;stroke-linecap:round}
.h0,.h1,.h2,.h3,.h4,.h5,.h6,.h7{vector-effect:none;stroke-width:1.02;shape-rendering:crispEdges}
.h0{stroke:var(--h0)}.h1{stroke:var(--h1)}.h2{stroke:var(--h2)}.h3{stroke:var(--h3)}
.h4{stroke:var(--h4)}.h5{stroke:var(--h5)}.h6{stroke:var(--h6)}.h7{stroke:var(--h7)}
.cells path{stroke:var(--rule);stroke-width:.7;stroke-linejoin:miter}
.c0,.c0 path{fill:var(--h0)}.c1,.c1 path{fill:var(--h1)}.c2,.c2 path{fill:var(--h2)}.c3,.c3 path{fill:var(--h3)}
.c4,.c4 path{fill:var(--h4)}.c5,.c5 path{fill:var(--h5)}.c6,.c6 path{fill:var(--h6)}.c7,.c7 path{fill:var(--h7)}
.bare path{fill:transparent}
.cells .few{stroke:var(--soft);stroke-width:3;stroke-linecap:round;pointer-events:none}
.cells .halo{stroke:var(--ground);stroke-width:3;pointer-events:none}
.cells .struck{stroke:var(--ink);stroke-width:1.1;pointer-events:none}
.small .few{stroke-width:1.5}
.small .halo{stroke-width:1.6}
.small .struck{stroke-width:.7}
.tiles>svg{display:block;width:100%;height:auto;max-height:82vh}
.board{position:relative;aspect-ratio:var(--ratio);max-width:min(var(--wide),calc(82vh*var(--ratio)))}
.board>svg{display:block;width:100%;height:100%}
.chart.tiles{margin-bottom:28px}
.multiples{display:grid;grid-template-columns:repeat(auto-fill,minmax(104px,1fr));gap:12px;margin:0 0 24px}
.multiples figcaption{margin-bottom:2px}
.strip .plot{background:none}
.points{stroke:var(--accent);stroke-width:4;stroke-linecap:round}
.chart+p,.charts+p,.chart+.scroll,.charts+.scroll{margin-top:34px}
.bars{fill:var(--h5)}
.claim,.paper{stroke:var(--accent);stroke-width:10;stroke-linecap:round}
.paper{stroke:var(--truth)}
.legend{display:flex;flex-wrap:wrap;gap:2px 18px;font-size:13px;color:var(--soft);margin-bottom:14px;max-width:none}
.legend span{display:inline-flex;align-items:center;gap:7px}
.legend.scale{gap:2px 12px}
.swatch{width:22px;height:12px;flex:none;overflow:visible}
.scale .swatch{width:16px}
.scroll{overflow-x:auto;margin:0 0 12px}
table{border-collapse:collapse;font-size:14px}
td{min-width:6.5rem}
td.n{min-width:0}
th{font-weight:600;color:var(--soft);text-align:left;vertical-align:bottom}
th,td{padding:6px 18px 6px 0;border-bottom:1px solid var(--rule);vertical-align:top}
td.n,th.n{text-align:right}
td.n{white-space:nowrap}
tr.chosen td{font-weight:600}
sup{line-height:0}
ul{margin:0 0 10px;padding-left:1.15em;max-width:74ch}
li{margin-bottom:5px}
.pairs{display:grid;grid-template-columns:minmax(0,1fr);gap:2px;margin:0 0 10px;max-width:74ch}
.pairs dt{color:var(--soft)}
.pairs dd{margin:0 0 8px}
.bar{height:14px;border-radius:7px;background:var(--raised);border:1px solid var(--rule);overflow:hidden;max-width:560px;
margin-bottom:8px}
.bar div{height:100%;background:var(--accent)}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px}
code{overflow-wrap:anywhere}
pre{background:var(--raised);border-radius:8px;padding:10px 14px;margin:0 0 12px;white-space:pre-wrap;
overflow-wrap:anywhere}
summary h2{display:inline}
.folded{margin-top:22px}
.folded details>:nth-child(2){margin-top:12px}
.cells .scalebar{stroke:var(--ink);stroke-width:2}
summary{cursor:pointer;color:var(--accent);font-weight:600;margin-bottom:8px}
footer{margin-top:48px;padding-top:14px;border-top:1px solid var(--rule);color:var(--soft);font-size:13px}
.watermark{position:fixed;inset:0;width:100%;height:100%;pointer-events:none;z-index:9;opacity:.13}
.watermark text{fill:var(--truth);font:600 22px system-ui,sans-serif}
@media (max-width:559px){.plot .minor{display:none}}
@media (min-width:760px){
body{font-size:16px;line-height:1.5}
main{padding:40px 32px 64px}
h1{font-size:34px}
h2{font-size:23px;margin-bottom:14px}
.sub{font-size:16px;margin-bottom:26px}
section{margin-top:60px}
.lead .newest{font-size:26px}
.folded{margin-top:26px}
.promise{gap:24px}
.map .plot{margin-left:166px}
.map .plot .y{max-width:158px}
.facts{gap:12px}
.facts div{display:grid;grid-template-columns:10rem minmax(0,1fr);gap:0 20px}
.strength{padding:20px 22px}
.strength p{font-size:15px}
.strength .numbers{font-size:26px;line-height:1.3;margin-bottom:8px}
.strength .cert{margin-top:12px}
.plot{height:190px;margin-left:62px}
.plot .y{max-width:58px}
.large .plot{height:340px}
.plot i{font-size:13px}
.pairs{grid-template-columns:max-content minmax(0,1fr);gap:6px 24px}
.pairs dd{margin:0}}
@media (min-width:960px){
.promise{grid-template-columns:minmax(0,1.7fr) minmax(260px,1fr);gap:40px;align-items:start}
.charts.many{grid-template-columns:repeat(2,minmax(0,1fr))}
.many .marks span{max-width:min(320px,21vw)}}
@media print{
:root{color-scheme:light;--ground:#fff;--raised:#f4f6f6;--ink:#000;--soft:#444;--rule:#ccc;--accent:#0b6b74;
--band:#0b6b7430;--truth:#b4530f;--warn-ink:#7a3b00;--warn:#fff1df;--good:#dff0ea;--good-ink:#14523f;
--h0:#eef2f3;--h1:#d9e8e8;--h2:#bcdada;--h3:#98c8ca;--h4:#6fb1b5;--h5:#43979d;--h6:#1f7a82;--h7:#0a5059}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
@page{margin:16mm 15mm}
body{font-size:10.5pt}
main{max-width:none;padding:0}
h1{font-size:20pt}
h2{font-size:14pt}
section{margin-top:26pt}
h2,h3,figcaption{break-after:avoid}
figure,tr,.strength,.facts>*,li{break-inside:avoid}
.scroll{overflow:visible}
details::details-content{content-visibility:visible;block-size:auto}
.marks,summary{display:none}
.folded summary{display:block;list-style:none}
.banner{margin-bottom:14pt}
.plot{height:110pt}
.large .plot{height:220pt}
.tiles>svg{max-height:150mm}
.board{max-width:min(var(--wide),calc(150mm*var(--ratio)))}
.multiples{grid-template-columns:repeat(6,minmax(0,1fr))}
.charts.many{grid-template-columns:repeat(2,minmax(0,1fr));gap:14pt 18pt}
.many .minor{display:none}}
)css";

std::string watermark_svg(const std::string& text) {
  if (text.empty()) return "";
  return fmt::format(
      "<svg class=\"watermark\" aria-hidden=\"true\"><defs><pattern id=\"mark\" width=\"340\" height=\"150\" "
      "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(-28)\"><text x=\"10\" y=\"60\">{0}</text>"
      "<text x=\"-160\" y=\"135\">{0}</text><text x=\"180\" y=\"135\">{0}</text></pattern></defs>"
      "<rect width=\"100%\" height=\"100%\" fill=\"url(#mark)\"/></svg>",
      escaped(text));
}

// "ε = 1" stays on one line.
std::string held_together(std::string text) {
  for (const std::string_view letter : {"ε", "δ"}) {
    const std::string loose = std::string(letter) + " = ", tight = std::string(letter) + "\u00a0=\u00a0";
    for (std::size_t at = 0; (at = text.find(loose, at)) != std::string::npos; at += tight.size())
      text.replace(at, loose.size(), tight);
  }
  return text;
}

}  // namespace

std::string to_html(const Page& page) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "img-src data:\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n";
  out.append("<title>").append(escaped(page.title)).append("</title>\n<style>").append(kStyle);
  out.append("</style>\n</head>\n<body>\n").append(watermark_svg(page.watermark));
  if (!page.banner.empty()) out.append("<div class=\"banner\" role=\"alert\">").append(page.banner).append("</div>\n");
  return out.append("<main>\n").append(held_together(page.body)).append("</main>\n</body>\n</html>\n");
}

std::string to_html(const Table& table) {
  const auto css = [&](std::size_t column) { return column < table.text_columns ? "" : " class=\"n\""; };
  std::string out = "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>";
  for (std::size_t i = 0; i < table.head.size(); ++i)
    out += fmt::format("<th scope=\"col\"{}>{}</th>", css(i), table.head[i]);
  out += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) out += fmt::format("<td{}>{}</td>", css(i), row[i]);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string numbers_behind(std::string_view which, std::size_t shown, std::size_t all, std::string_view body) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n",
                     shown < all
                         ? fmt::format("The {} {} of {} numbers", which, shown, grouped(static_cast<std::int64_t>(all)))
                         : "The numbers",
                     body);
}

std::string section(std::string_view title, std::string_view body) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", escaped(title), body);
}

std::string folded(std::string_view title, std::string_view body, Fold fold) {
  return fmt::format("<section class=\"folded\"><details{}><summary><h2>{}</h2></summary>\n{}</details></section>\n",
                     fold == Fold::open ? " open" : "", escaped(title), body);
}

}  // namespace chronoveil::report
