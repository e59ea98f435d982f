// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/Json.h"
#include "Diffuse/Support/JsonFields.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace diffuse;

static std::string messageOf(llvm::StringRef text) {
  llvm::Expected<Json> json = Json::parse(text);
  return json ? "" : llvm::toString(json.takeError());
}

static std::string roundTrip(llvm::StringRef text) {
  return llvm::cantFail(Json::parse(text)).dump();
}

TEST(Json, MembersArePrintedInOrderOfNames) {
  Json json = Json::object();
  json.set("b", 1).set("a", true).set("c", Json());
  json.set("b", 2);
  EXPECT_EQ(json.dump(), R"({"a":true,"b":2,"c":null})");
  EXPECT_EQ(roundTrip(R"({"z": [1, -2, 0.5], "y": {}, "x": "\u00e9"})"),
            "{\"x\":\"\xc3\xa9\",\"y\":{},\"z\":[1,-2,0.5]}");
}

TEST(Json, OfMembersWithOneNameTheLastCounts) {
  EXPECT_EQ(roundTrip(R"({"b":1,"a":2,"b":3})"), R"({"a":2,"b":3})");
}

TEST(Json, NumbersKeepTheirValue) {
  EXPECT_EQ(roundTrip("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(roundTrip("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(roundTrip("0.1"), "0.1");
  Json large(std::numeric_limits<uint64_t>::max());
  EXPECT_FALSE(large.asInteger());
  EXPECT_EQ(large.asUnsigned(), std::numeric_limits<uint64_t>::max());
  EXPECT_FALSE(Json(-1).asUnsigned());
  EXPECT_EQ(Json(3).asNumber(), 3.0);
  EXPECT_FALSE(Json(3.5).asInteger());
}

TEST(Json, NothingThatIsPrintedIsUnreadable) {
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_EQ(Json(HUGE_VAL).dump(), "null");
  EXPECT_EQ(Json("a\xff").dump(), "\"a\xef\xbf\xbd\"");
}

TEST(Json, BadTextIsRefusedWithItsPlace) {
  EXPECT_NE(messageOf(R"({"a": })").find("byte 7"), std::string::npos);
  EXPECT_NE(messageOf(""), "");
  EXPECT_NE(messageOf("1 2"), "");
  EXPECT_NE(messageOf("\"\xff\""), "");
  EXPECT_NE(messageOf("1e999"), "");
  EXPECT_NE(messageOf(R"({"a":1)"), "");
  std::string deep(200, '[');
  EXPECT_NE(messageOf(deep).find("deeper than 100"), std::string::npos);
}

TEST(JsonFields, ReadsWhatIsThereAndKeepsTheRest) {
  Json json = llvm::cantFail(
      Json::parse(R"({"n": 3, "xs": [1, 2.5], "m": {"a": 1}, "none": null})"));
  JsonFields fields(json, "thing");
  unsigned n = 0;
  int64_t kept = 7;
  std::vector<double> xs;
  std::map<std::string, int64_t> m;
  fields.require("n", n);
  fields.require("xs", xs);
  fields.require("m", m);
  fields.allow("none", kept);
  fields.allow("absent", kept);
  EXPECT_FALSE(bool(fields.takeError()));
  EXPECT_EQ(n, 3u);
  EXPECT_EQ(kept, 7);
  EXPECT_EQ(xs, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(m.at("a"), 1);
}

TEST(JsonFields, FirstErrorIsTold) {
  Json json = llvm::cantFail(Json::parse(R"({"n": -3})"));
  JsonFields fields(json, "thing");
  unsigned n = 0;
  std::string missing;
  fields.require("n", n);
  fields.require("missing", missing);
  EXPECT_EQ(llvm::toString(fields.takeError()),
            "thing has a member 'n' that is not a non-negative integer of 32 "
            "bits");

  Json list = Json::Array();
  JsonFields ofList(list, "thing");
  EXPECT_EQ(llvm::toString(ofList.takeError()), "thing is not an object");
}
