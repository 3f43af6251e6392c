#include <gtest/gtest.h>

#include "chronoveil/ledger/proof/entry.h"
#include "chronoveil/report/document/digest.h"

namespace chronoveil::report {
namespace {

std::string digest_of(std::string_view text) {
  const Result<std::string> digest = release_digest(text);
  return digest ? *digest : digest.error().text();
}

TEST(ReleaseDigest, IsTheHashOfTheCanonicalText) {
  EXPECT_EQ(digest_of(R"({"b": [1, 2.50, null], "a": "x"})"), ledger::sha256_hex(R"({"a":"x","b":[1,2.5,null]})"));
}

TEST(ReleaseDigest, NeitherOrderNorSpacesNorTitleNorSignatureCount) {
  const std::string digest = digest_of(R"({"guarantee":{"epsilon":1,"delta":0},"series":[]})");
  EXPECT_EQ(digest.size(), 64u);
  EXPECT_EQ(digest_of("{\n \"series\": [ ],\"guarantee\":{\"delta\":0, \"epsilon\":1}}\n"), digest);
  EXPECT_EQ(digest_of(R"({"title":"T","signature":{},"guarantee":{"epsilon":1,"delta":0},"series":[]})"), digest);
}

TEST(ReleaseDigest, EverythingElseCounts) {
  const std::string digest = digest_of(R"({"guarantee":{"epsilon":1,"delta":0},"series":[{"value":[1,2]}]})");
  for (const char* edited : {R"({"guarantee":{"epsilon":2,"delta":0},"series":[{"value":[1,2]}]})",
                             R"({"guarantee":{"epsilon":1,"delta":0},"series":[{"value":[2,1]}]})",
                             R"({"guarantee":{"epsilon":1,"delta":0},"series":[{"value":[1,2]}],"mark":""})",
                             R"({"guarantee":{"epsilon":1,"delta":0,"title":""},"series":[{"value":[1,2]}]})",
                             R"({"guarantee":{"epsilon":1},"series":[{"value":[1,2]}]})"}) {
    EXPECT_NE(digest_of(edited), digest) << edited;
  }
}

// One reader takes the first of two equal keys, another the last.
TEST(ReleaseDigest, RefusesAKeyThatStandsThereTwice) {
  for (const char* text : {R"({"a":1,"a":1})", R"({"g":{"epsilon":1,"epsilon":9}})", R"({"s":[{"k":1},{"k":1,"k":2}]})",
                           R"({"title":"a","title":"b"})"})
    EXPECT_EQ(digest_of(text), "release: a key stands in it twice") << text;
  EXPECT_EQ(digest_of(R"({"s":[{"k":1},{"k":2}],"k":3})").size(), 64u);
}

TEST(ReleaseDigest, RefusesWhatIsNoJsonObject) {
  for (const char* text : {"", "[]", "{", "{} {}", "1", "{\"a\":1e999}", "{\"a\":\"\xff\"}"})
    EXPECT_EQ(digest_of(text), "release: it is not a JSON object") << text;
}

}  // namespace
}  // namespace chronoveil::report
