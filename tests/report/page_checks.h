// What every page is held to, and how tests look into one.
#pragma once

#include <string>
#include <string_view>

namespace chronoveil::report::testing {

// Text that becomes an element and ends an attribute where it is not escaped, and what it is where it is.
inline const std::string kEvil = "<img src=x onerror=alert(1)>\"'&";
inline const std::string kEvilEscaped = "&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;";

// A space that keeps its words together counts as any other.
bool has(std::string_view text, std::string_view part);

// How often it is there.
std::size_t times(std::string_view text, std::string_view part);

// What is wrong with the nesting of a page, or nothing. Every element but those that are void is closed, in order.
std::string misnested(std::string_view html);

// What is wrong with a page whatever it is about, or nothing. It is well nested, it runs nothing and takes nothing from
// elsewhere, and no number in it is NaN or infinite.
std::string flaw(const std::string& html);

}  // namespace chronoveil::report::testing
