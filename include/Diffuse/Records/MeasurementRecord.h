// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line of a record file: what happened to one candidate. docs/records.md
// describes the format. Strings and numbers only: records outlive the code that
// wrote them.

#ifndef DIFFUSE_RECORDS_MEASUREMENTRECORD_H
#define DIFFUSE_RECORDS_MEASUREMENTRECORD_H

#include "Diffuse/Records/RunOutcome.h"
#include "Diffuse/Support/Json.h"
#include "Diffuse/Support/Numerics.h"
#include "Diffuse/Support/StableHash.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace diffuse {

/// Number of the newest format of a line, raised when an old reader would
/// misread some line. A line carries the least number that reads it right.
inline constexpr unsigned kRecordFormat = 4;

/// Number of the way in which latencies are taken (caches, data, repeats).
/// Raised when the same code may measure differently by it.
inline constexpr unsigned kMeasuringProtocol = 1;

/// What is measured and on what: the candidates of one scope compete.
struct RecordScope {
  /// Of the subgraph, 32 hexadecimal digits.
  std::string exactHash;
  /// Key of the target, such as `cpu:znver4`.
  std::string target;
  unsigned threads = 1;
  Numerics numerics = Numerics::Default;
  /// Denormals are flushed to zero.
  bool flushDenormals = false;
  /// Of a dynamic subgraph, in order of arguments and dimensions.
  std::vector<int64_t> extents;
  unsigned codegen = 0;
  unsigned protocol = kMeasuringProtocol;

  StableHash key() const;
};

/// What must match for a record to count as a measurement of a candidate.
struct RecordIdentity {
  RecordScope scope;
  /// Digest of the schedule's text.
  std::string schedule;

  StableHash key() const;
};

struct MeasurementRecord : RunOutcome {
  RecordIdentity identity;

  std::string structureHash;
  std::string familyHash;
  /// The candidate in the words of its sketch.
  std::string sketch;
  std::map<std::string, int64_t> choices;
  /// Digest of the text that a user's sketch is written in; empty for the
  /// library's.
  std::string sketchText;

  /// Digest of the schedule whose answer this one's agreed with where no exact
  /// value was known; empty where all of it was compared with exact ones, and
  /// where it failed.
  std::string comparedWith;
  /// Digest of the default schedule that it was compared with, where the
  /// failure is SlowerInNetwork; empty otherwise.
  std::string defaultSchedule;
  /// With the failure SlowerInNetwork: when it was compared, it was not slower,
  /// so what earlier lines of the schedule say of that is void.
  bool isWithdrawn = false;
  /// Names one machine among those with the same target key.
  std::string machine;
  /// Read from the object: `spills`, `bytes`, ...
  std::map<std::string, double> facts;
  std::string tool;
  std::string llvm;
  uint64_t seed = 0;
  /// Zero under the fake and replay measurers.
  double compileSeconds = 0;
  double runSeconds = 0;
  double searchSeconds = 0;
};

/// The lower quartile of the samples: interference only ever adds time, so the
/// low end says what the code takes, and unlike the minimum it does not fall
/// further with every sample. Infinite where there are none.
double latencyMicros(llvm::ArrayRef<double> samplesMicros);

Json toJson(const MeasurementRecord &record);
llvm::Expected<MeasurementRecord> parseMeasurement(const Json &line);

/// The text of a subgraph, once per file: with it a file alone suffices to run
/// any of its lines again.
struct SubgraphRecord {
  std::string exactHash;
  std::string text;
};

Json toJson(const SubgraphRecord &record);
llvm::Expected<SubgraphRecord> parseSubgraph(const Json &line);

/// The text of a user's sketch, once per file, for the same reason.
struct SketchRecord {
  /// Digest of the text.
  std::string digest;
  /// Of the sketch in it that was measured; where its sequence has no name of
  /// its own, the file went by this name.
  std::string name;
  std::string text;
};

Json toJson(const SketchRecord &record);
llvm::Expected<SketchRecord> parseSketch(const Json &line);

} // namespace diffuse

#endif // DIFFUSE_RECORDS_MEASUREMENTRECORD_H
