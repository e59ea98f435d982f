// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/OutputTile.h"

#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/JsonFields.h"
#include "llvm/ADT/STLExtras.h"

using namespace diffuse;

int64_t OutputTile::elements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

bool OutputTile::liesIn(llvm::ArrayRef<int64_t> extents) const {
  if (offsets.size() != extents.size() || sizes.size() != extents.size())
    return false;
  for (auto [offset, size, extent] : llvm::zip(offsets, sizes, extents))
    if (offset < 0 || size < 1 || offset > extent || size > extent - offset)
      return false;
  return true;
}

bool diffuse::operator==(const OutputTile &a, const OutputTile &b) {
  return a.result == b.result && a.offsets == b.offsets && a.sizes == b.sizes;
}

Json diffuse::toJson(llvm::ArrayRef<OutputTile> tiles) {
  Json::Array list;
  for (const OutputTile &tile : tiles) {
    Json entry = Json::object();
    entry.set("result", tile.result)
        .set("offsets", Json::arrayOf(tile.offsets))
        .set("sizes", Json::arrayOf(tile.sizes));
    list.push_back(std::move(entry));
  }
  return Json(std::move(list));
}

llvm::Error diffuse::fromJson(const Json &value,
                              std::vector<OutputTile> &tiles) {
  const Json::Array *list = value.asArray();
  if (!list)
    return makeError("tiles are no list");
  for (const Json &entry : *list) {
    OutputTile &tile = tiles.emplace_back();
    JsonFields fields(entry, "tile");
    fields.require("result", tile.result);
    fields.require("offsets", tile.offsets);
    fields.require("sizes", tile.sizes);
    if (llvm::Error error = fields.takeError())
      return error;
  }
  return llvm::Error::success();
}
