#include "bindings/runtime/inspection.h"

#include "bindings/interrupted.h"
#include "bindings/launch/call.h"
#include "bindings/launch/dims.h"
#include "bindings/launch/type_parser.h"
#include "bindings/source/capture.h"
#include "bindings/source/describe.h"
#include "bindings/source/entities.h"
#include "support/check.h"

namespace cuda_device::bindings {
namespace {

using frontend::ArgumentType;

[[noreturn]] void bad_type(nb::handle type) {
  throw nb::type_error(
      ("not the type of an argument: " + shown(type) +
       "; types are written like 'float32', 'int', 'array[float32, 2]' or '(int, float32)'")
          .c_str());
}

// int, float, bool, NumPy's scalar types, dtypes and text are types; everything else is a value.
bool is_type(nb::handle argument) {
  return PyType_Check(argument.ptr()) || PyUnicode_Check(argument.ptr()) ||
         argument.type()
             .attr("__mro__")
             .attr("__contains__")(nb::module_::import_("numpy").attr("dtype"))
             .is(nb::handle(Py_True));
}

ArgumentType type_named(nb::handle argument) {
  if (PyUnicode_Check(argument.ptr())) {
    if (auto type = parse_type(to_string(argument))) return *type;
    bad_type(argument);
  }
  nb::object type = nb::borrow(argument);
  if (!PyType_Check(argument.ptr())) type = argument.attr("type");
  const std::string* name = entities().find(type);
  if (!name) bad_type(argument);
  auto found = parse_type(name->substr(name->find('.') + 1));
  if (!found) bad_type(argument);
  return *found;
}

// Values as one launch would see them: where two arrays overlap, neither is alone.
frontend::Request request_for(const FunctionState& function, const Variant& variant,
                              const nb::tuple& arguments) {
  std::vector<ArgumentType> types(arguments.size());
  std::vector<size_t> values;
  Call call(function, variant, LaunchDevice::Question{});
  KeyHead head;
  head.dialect = function.dialect;
  write_head(call.key, head);
  for (size_t i = 0; i < arguments.size(); ++i) {
    nb::object argument = arguments[i];
    const bool constant = i < variant.constant.size() && variant.constant[i];
    if (!constant && is_type(argument)) {
      types[i] = type_named(argument);
      continue;
    }
    call.add_argument(static_cast<int>(i), argument.ptr());
    values.push_back(i);
  }
  call.compare_ranges();
  frontend::Request request = read_request(call.key.data(), call.key.size());
  for (size_t i = 0; i < values.size(); ++i) types[values[i]] = std::move(request.arguments[i]);
  request.arguments = std::move(types);
  return request;
}

LaunchFacts facts_of(nb::handle grid, nb::handle block, const std::string& name) {
  abi::LaunchDims dims;
  LaunchFacts facts;
  if (!block.is_none()) {
    read_block(block.ptr(), name, dims);
    facts.block = dims.block;
  }
  if (!grid.is_none()) {
    read_grid(grid.ptr(), name, dims);
    facts.grid_fits_31 = grid_fits_31(dims);
  }
  return facts;
}

// `types`: of arguments, which a plain function's program is captured with.
std::shared_ptr<const Variant> variant_of(nb::handle function, Given given = {},
                                          const std::vector<nb::object>& types = {}) {
  if (FunctionObject* decorated = as_function_object(function.ptr()))
    return current_variant(decorated, given);
  if (!PyFunction_Check(function.ptr()))
    throw nb::type_error(("expected a function, found '" + type_text(function) + "'").c_str());
  return capture_function(function, types, given);
}

// A function and arguments that people ask about.
struct Question {
  std::string name;
  dispatch::Specialisation specialisation;

  Question(nb::handle function, const nb::tuple& arguments, nb::handle grid, nb::handle block) {
    FunctionState plain;
    FunctionObject* decorated = as_function_object(function.ptr());
    if (!decorated) plain.name = to_string(function.attr("__name__"));
    const FunctionState& state = decorated ? *decorated->state : plain;
    name = state.name;
    std::vector<nb::object> types;
    std::vector<PyObject*> given;
    for (nb::handle argument : arguments) given.push_back(argument.ptr());
    while (specialisation.program == nullptr) {
      const std::shared_ptr<const Variant> variant = variant_of(function, given, types);
      try {
        specialisation = {variant->program, request_for(state, *variant, arguments)};
      } catch (const MissingType& missing) {
        if (decorated) add_argument_type(*decorated->state, missing.type);
        types.push_back(missing.type);
      }
    }
    specialisation.request.launch = facts_of(grid, block, name);
    specialisation.interrupted = interrupted();
  }

  // Runs without the GIL; returns the text of the outcome.
  template <class Ask>
  nb::str answer(const Ask& ask) const {
    dispatch::Outcome outcome;
    {
      const WithoutGil released;
      ask(&outcome);
    }
    if (outcome.status == dispatch::Status::Interrupted) throw nb::python_error();
    if (outcome.status != dispatch::Status::Ok) {
      set_outcome(outcome, specialisation.program->files, name);
      throw nb::python_error();
    }
    return nb::str(outcome.text.c_str(), outcome.text.size());
  }
};

nb::str inspect(nb::handle function, const nb::tuple& arguments, const std::string& what,
                const std::string& target, nb::handle grid, nb::handle block, bool lines) {
  const Question question(function, arguments, grid, block);
  return question.answer([&](dispatch::Outcome* outcome) {
    cd_rt_inspect(&question.specialisation, what.c_str(), target.c_str(), lines, outcome);
  });
}

nb::str stats(nb::handle function, const nb::tuple& arguments, const std::string& target,
              nb::handle grid, nb::handle block, nb::handle shared) {
  const Question question(function, arguments, grid, block);
  abi::LaunchDims dims;
  dispatch::StatsRequest request;
  request.specialisation = &question.specialisation;
  request.target = target;
  if (!grid.is_none()) read_grid(grid.ptr(), question.name, dims);
  read_shared(shared.ptr(), question.name, dims);
  request.grid = dims.grid;
  request.has_grid = !grid.is_none();
  request.shared = dims.shared;
  return question.answer([&](dispatch::Outcome* outcome) { cd_rt_stats(&request, outcome); });
}

nb::dict counters() {
  dispatch::Counters counts;
  cd_rt_counters(&counts);
  nb::dict result;
  result["launches"] = counts.launches;
  result["compilations"] = counts.compilations;
  result["cache_hits"] = counts.cache_hits;
  result["specialisations"] = counts.specialisations;
  result["disk_hits"] = counts.disk_hits;
  result["disk_misses"] = counts.disk_misses;
  result["disk_stores"] = counts.disk_stores;
  return result;
}

// One of the functions of the runtime that give a text.
std::string text_from(void (*function)(dispatch::Outcome*)) {
  dispatch::Outcome outcome;
  {
    const WithoutGil released;
    function(&outcome);
  }
  throw_unless_ok(outcome);
  return outcome.text;
}

}  // namespace

void register_inspection(nb::module_& module) {
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (LaunchError&) {
      set_current_exception();
    } catch (CaptureError&) {
      set_current_exception();
    } catch (InternalError&) {
      set_current_exception();
    }  // others are left to nanobind
  });
  module.def("inspect", inspect, nb::arg("function"), nb::arg("arguments"), nb::arg("what"),
             nb::arg("target"), nb::arg("grid").none(), nb::arg("block").none(),
             nb::arg("lines") = false);
  module.def("stats", stats, nb::arg("function"), nb::arg("arguments"), nb::arg("target"),
             nb::arg("grid").none(), nb::arg("block").none(), nb::arg("shared"));
  module.def("captured",
             [](nb::handle function) { return describe(*variant_of(function)->program); });
  module.def("counters", counters);
  module.def("set_target", [](const char* name) { return cd_rt_set_target(name); });
  module.def("target", [] { return nb::str(cd_rt_target()); });
  module.def("targets", [] {
    const WithoutGil released;
    std::string names = cd_rt_targets();
    return names;
  });
  module.def("info", [] { return text_from(cd_rt_info); });
  module.def("cache_info", [] { return text_from(cd_rt_cache_info); });
  module.def("cache_clear", [] { return text_from(cd_rt_cache_clear); });
  module.def("thread_count", [] { return cd_rt_thread_count(); });
  module.def("beyond_cache_bytes", [] { return cd_rt_beyond_cache_bytes(); });
  module.def("set_beyond_cache_bytes", [](uint64_t bytes) { cd_rt_set_beyond_cache_bytes(bytes); });
  module.def("add_search_path", [](const char* folder) { cd_rt_add_search_path(folder); });
}

}  // namespace cuda_device::bindings
