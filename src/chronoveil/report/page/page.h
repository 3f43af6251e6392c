// The frame of every page: one file, inline style, no script, nothing fetched. Its content security policy makes a
// browser refuse to fetch anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chronoveil::report {

struct Page {
  std::string title;      // not yet escaped
  std::string banner;     // HTML above everything; none when empty
  std::string watermark;  // repeated diagonally over the whole page, on every printed sheet; none when empty
  std::string body;       // HTML
};
std::string to_html(const Page&);

// A table that scrolls by itself where the screen is narrow. Cells are HTML; the first column is text, the others
// numbers unless `text_columns` of them are text too.
struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  std::size_t text_columns = 1;
};
std::string to_html(const Table&);

// The numbers behind a chart, folded until a reader asks for them: "The newest 50 of 744 numbers". `body` is HTML: a
// table of at most kMostNumbers rows.
inline constexpr std::size_t kMostNumbers = 50;
inline constexpr int kTableDigits = 4;
std::string numbers_behind(std::string_view which, std::size_t shown, std::size_t all, std::string_view body);

// <section><h2>title</h2>body</section>
std::string section(std::string_view title, std::string_view body);
// The same, folded until a reader asks for it; printed in full.
enum class Fold { closed, open };
std::string folded(std::string_view title, std::string_view body, Fold = Fold::closed);

}  // namespace chronoveil::report
