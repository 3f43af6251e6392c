#include "chronoveil/report/draw/png.h"

#include <zlib.h>

#include <cstdint>

#include "chronoveil/base/system/filter_program.h"

namespace chronoveil::report {
namespace {

constexpr const char* kInstead =
    "; a PNG is made by rsvg-convert, which must be in PATH (Debian: librsvg2-bin); or let the name end in .svg, which "
    "needs nothing";

// Between the signature and the first chunk after the header: 4 + 4 + 13 + 4 bytes of header.
constexpr std::size_t kHeaderEnd = kPngFirstChunk - 4;

Result<std::string> converted(const std::string& svg) {
  CV_TRY(std::string png, filtered({"rsvg-convert", "--format", "png", "--zoom", "2"}, svg));
  if (!png.starts_with(kPngSignature) || png.size() <= kHeaderEnd || png.compare(12, 4, "IHDR") != 0)
    return fail(ErrorKind::storage, "rsvg-convert did not write a PNG");
  return png;
}

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
  return bytes;
}

}  // namespace

Result<void> check_png() {
  const auto dot = converted("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>");
  if (!dot) return fail(ErrorKind::usage, "output.chart", dot.error().text() + kInstead);
  return {};
}

Result<std::string> png_of(const std::string& svg, const std::string& description) {
  CV_TRY(std::string png, converted(svg));
  const std::string chunk = std::string(kPngDescription) + description;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size()));
  png.insert(kHeaderEnd, big_endian(static_cast<std::uint32_t>(chunk.size() - 4)) + chunk +
                             big_endian(static_cast<std::uint32_t>(sum)));
  return png;
}

}  // namespace chronoveil::report
