#include "compile/stages.h"

#include "compile/compile.h"

namespace cuda_device::compile {
namespace {

// The stages that inspect shows, and what each may be made for.
struct Stage {
  std::string_view name;
  bool host, ptx, interpreter;
};
constexpr Stage kStages[] = {
    {"syntax", false, false, false},
    {"ir_raw", false, false, false},
    {"ir", true, true, true},
    {"plan", true, false, false},
    {"facts", true, true, true},
    {"llvm_raw", true, true, false},
    {"llvm", true, true, false},
    {"asm", true, false, false},
    {"ptx", false, true, false},
    // for _testing
    {"result_type", false, false, false},
    {"times", true, true, false},
    {"ir_times", true, true, true},
};

const Stage& stage_named(const std::string& what) {
  std::string known;
  for (const Stage& stage : kStages) {
    if (stage.name == what) return stage;
    if (stage.name != "result_type" && !stage.name.ends_with("times"))
      known += (known.empty() ? "" : ", ") + std::string(stage.name);
  }
  throw DiagnosticError(Diagnostic{DiagCode::unknown_stage, {}, {what, known}, {}, ""});
}

std::string targets_of(const Stage& stage) {
  std::string list;
  const auto add = [&](const std::string& name) { list += (list.empty() ? "" : ", ") + name; };
  if (stage.interpreter) add("interpreter");
  if (stage.host)
    for (codegen::MaskForm form : codegen::kMaskForms) add(codegen::name_of(form));
  if (stage.ptx)
    for (int sm : codegen::ptx_architectures()) add("sm_" + std::to_string(sm));
  return list;
}

// A stage that is the same for every target takes none, and machine code only those it exists for.
void check_target(const Stage& stage, const std::string& target) {
  const bool any = stage.host || stage.ptx || stage.interpreter;
  bool fine = target.empty();
  if (any) {
    const Target::Kind kind = parse_target(target).kind;
    fine = kind == Target::Kind::Host  ? stage.host
           : kind == Target::Kind::Ptx ? stage.ptx
                                       : stage.interpreter;
  }
  if (fine) return;
  const std::string hint = any ? "it is made for: " + targets_of(stage)
                               : "leave the target out: it is the same for all of them";
  throw DiagnosticError(
      Diagnostic{DiagCode::stage_target,
                 {},
                 {std::string(stage.name), target.empty() ? "host" : target, hint},
                 {},
                 ""});
}

}  // namespace

void check_stage(const std::string& what, const std::string& target) {
  check_target(stage_named(what), target);
}

}  // namespace cuda_device::compile
