// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AnswerCheck.h"

#include "Diffuse/Support/Errors.h"

using namespace diffuse;

namespace {
class AnswerCheck {
public:
  AnswerCheck(const RunOptions &options, const Arguments &arguments)
      : options(options), arguments(arguments) {}

  llvm::Error withFiles();
  llvm::Error withReference(const std::string &path);
  std::optional<Comparison> result;

private:
  void take(const Tensor &found, const char *expected);

  const RunOptions &options;
  const Arguments &arguments;
};
} // namespace

void AnswerCheck::take(const Tensor &found, const char *expected) {
  Comparison comparison = compareTensors(
      found, expected, {options.relativeTolerance, options.absoluteTolerance});
  if (!result)
    result.emplace();
  result->maxRelativeError =
      std::max(result->maxRelativeError, comparison.maxRelativeError);
  if (result->ok && !comparison.ok) {
    result->ok = false;
    result->message = comparison.message;
  }
}

static llvm::Error checkShape(const Tensor &found,
                              llvm::ArrayRef<int64_t> extents, uint64_t bytes,
                              llvm::StringRef source) {
  if (llvm::ArrayRef<int64_t>(found.type().extents) == extents &&
      found.size() == bytes)
    return llvm::Error::success();
  return makeError("'" + source + "' has another shape or type than '" +
                   found.type().name + "'");
}

llvm::Error AnswerCheck::withFiles() {
  if (options.expected.size() > arguments.outputs.size())
    return makeError("--expected was given " +
                     llvm::Twine(options.expected.size()) +
                     " times, the model has " +
                     llvm::Twine(arguments.outputs.size()) + " results");
  for (size_t i = 0; i < options.expected.size(); ++i) {
    const Tensor &found = arguments.outputs[i];
    llvm::Expected<NpyArray> array = readNpy(options.expected[i]);
    if (!array)
      return array.takeError();
    if (llvm::Error error = checkShape(
            found, array->extents, array->bytes.size(), options.expected[i]))
      return error;
    take(found, array->bytes.data());
  }
  return llvm::Error::success();
}

llvm::Error AnswerCheck::withReference(const std::string &path) {
  if (!result)
    result.emplace();
  // Strict, whatever the mode of what is checked: a reference that took the
  // same liberties could not show that one of them was a mistake.
  RunOptions strict = options;
  strict.compile.codegen.numerics = Numerics::Strict;
  llvm::Expected<Instance> reference =
      Instance::open(strict, path, ScheduleChoice::None);
  if (!reference)
    return reference.takeError();
  llvm::Expected<Arguments> own = reference->makeArguments();
  if (!own)
    return own.takeError();
  if (llvm::Error error = reference->create(*own, nullptr))
    return error;
  if (llvm::Error error = reference->run(*own))
    return error;
  if (own->outputs.size() != arguments.outputs.size())
    return makeError("'" + path + "' has another number of results");
  for (size_t i = 0; i < own->outputs.size(); ++i) {
    const Tensor &expected = own->outputs[i];
    const Tensor &found = arguments.outputs[i];
    if (llvm::Error error =
            checkShape(found, expected.type().extents, expected.size(), path))
      return error;
    take(found, expected.data());
  }
  return llvm::Error::success();
}

llvm::Expected<std::optional<Comparison>>
diffuse::checkAnswers(const RunOptions &options, const Arguments &arguments) {
  AnswerCheck check(options, arguments);
  if (llvm::Error error = check.withFiles())
    return error;
  std::string reference = options.reference;
  if (reference.empty() && options.check && !options.inputIsLibrary())
    reference = options.input;
  if (!reference.empty())
    if (llvm::Error error = check.withReference(reference))
      return error;
  return std::move(check.result);
}
