#include "bindings/launch/launch.h"

#include <algorithm>

#include "bindings/interrupted.h"
#include "bindings/launch/call.h"
#include "bindings/launch/dims.h"
#include "bindings/memory/block.h"
#include "bindings/runtime/printed.h"
#include "bindings/runtime/streams.h"
#include "bindings/source/capture.h"

namespace cuda_device::bindings {
namespace {

// Block shapes of a kernel that get a version of their own; later ones share the generic version.
constexpr size_t kMaxBlockShapes = 8;

struct Keywords {
  PyObject* grid = nullptr;
  PyObject* block = nullptr;
  PyObject* stream = nullptr;
  PyObject* shared = nullptr;
};

struct KeywordNames {
  PyObject* grid = PyUnicode_InternFromString("grid");
  PyObject* block = PyUnicode_InternFromString("block");
  PyObject* stream = PyUnicode_InternFromString("stream");
  PyObject* shared = PyUnicode_InternFromString("shared");
};
const KeywordNames* keyword_names = nullptr;

FunctionObject* kernel_of(PyObject* const* args, Py_ssize_t count) {
  if (count == 0) throw LaunchError{DiagCode::launch_nothing, {}};
  FunctionObject* object = as_function_object(args[0]);
  if (object && object->state->kind == syntax::FunctionKind::Kernel) return object;
  if (object) throw LaunchError{DiagCode::launch_func, {object->state->name}};
  for (Py_ssize_t i = 1; i < count; ++i)
    if (FunctionObject* later = as_function_object(args[i]);
        later && later->state->kind == syntax::FunctionKind::Kernel)
      throw LaunchError{DiagCode::launch_order,
                        {"'" + type_text(args[0]) + "'", later->state->name}};
  std::string found = "'" + type_text(args[0]) + "'";
  if (nb::object own = optional_attr(args[0], nb::str("launch_syntax")))
    found += ", which is launched as " + to_string(own);
  throw LaunchError{DiagCode::launch_other, {found}};
}

PyObject** keyword_slot(PyObject* name, Keywords& keywords) {
  const KeywordNames& known = *keyword_names;
  if (name == known.grid) return &keywords.grid;
  if (name == known.block) return &keywords.block;
  if (name == known.stream) return &keywords.stream;
  if (name == known.shared) return &keywords.shared;
  // Names made at run time are not interned.
  if (PyUnicode_Compare(name, known.grid) == 0) return &keywords.grid;
  if (PyUnicode_Compare(name, known.block) == 0) return &keywords.block;
  if (PyUnicode_Compare(name, known.stream) == 0) return &keywords.stream;
  if (PyUnicode_Compare(name, known.shared) == 0) return &keywords.shared;
  return nullptr;
}

Keywords read_keywords(PyObject* const* values, PyObject* names, const FunctionState& kernel) {
  Keywords keywords;
  Py_ssize_t count = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    PyObject** slot = keyword_slot(name, keywords);
    if (!slot) throw LaunchError{DiagCode::launch_keyword, {kernel.name, to_string(name)}};
    *slot = values[i];
  }
  if (!keywords.grid || !keywords.block) {
    const char* which = keywords.grid    ? " 'block'"
                        : keywords.block ? " 'grid'"
                                         : "s 'grid' and 'block'";
    throw LaunchError{DiagCode::launch_missing, {kernel.name, which}};
  }
  return keywords;
}

std::string signature_text(const FunctionObject* kernel) {
  nb::object signature =
      nb::module_::import_("inspect").attr("signature")(nb::handle(kernel->underlying));
  return kernel->state->name + to_string(nb::object(nb::str(signature)));
}

std::string counted(Py_ssize_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

[[noreturn]] void wrong_count(const FunctionObject* kernel, Py_ssize_t given) {
  const Parameters& p = kernel->state->parameters;
  std::string takes = p.required == p.positional
                          ? counted(p.positional, "argument")
                          : std::to_string(p.required) + " to " + counted(p.positional, "argument");
  std::string were = std::to_string(given) + (given == 1 ? " was" : " were");
  std::string hint = "its signature is " + signature_text(kernel);
  if (!p.names.empty() && p.names[0] == "self" && given == p.required - 1)
    hint += "; a kernel is no method: define it without self, with @staticmethod in a class";
  throw LaunchError{DiagCode::argument_count, {kernel->state->name, takes, were, hint}};
}

// Keyword-only parameters cannot be given in a launch: their defaults are used.
void add_keyword_only(Call& call, const FunctionObject* kernel) {
  const Parameters& p = kernel->state->parameters;
  PyObject* defaults = PyFunction_GetKwDefaults(kernel->underlying);
  for (size_t i = static_cast<size_t>(p.positional); i < p.names.size(); ++i) {
    PyObject* value = defaults ? PyDict_GetItemString(defaults, p.names[i].c_str()) : nullptr;
    if (!value)
      throw LaunchError{DiagCode::argument_keyword_only, {kernel->state->name, p.names[i]}};
    call.hold(nb::borrow(value));
    call.add_argument(static_cast<int>(i), value);
  }
}

void add_arguments(Call& call, const FunctionObject* kernel, PyObject* const* args,
                   Py_ssize_t given) {
  const Parameters& p = kernel->state->parameters;
  bool fits = given >= p.required && (given <= p.positional || p.variadic);
  if (!fits) wrong_count(kernel, given);
  for (Py_ssize_t i = 0; i < given; ++i) call.add_argument(static_cast<int>(i), args[i]);
  if (given < p.positional) {
    PyObject* defaults = PyFunction_GetDefaults(kernel->underlying);
    call.hold(nb::borrow(defaults));
    for (Py_ssize_t i = given; i < p.positional; ++i)
      call.add_argument(static_cast<int>(i), PyTuple_GET_ITEM(defaults, i - p.required));
  }
  if (static_cast<size_t>(p.positional) < p.names.size()) add_keyword_only(call, kernel);
  call.compare_ranges();
}

LaunchFacts launch_facts(FunctionState& kernel, const abi::LaunchDims& dims) {
  LaunchFacts facts;
  facts.grid_fits_31 = grid_fits_31(dims);
  auto& shapes = kernel.blocks;
  bool known = std::find(shapes.begin(), shapes.end(), dims.block) != shapes.end();
  if (!known && shapes.size() < kMaxBlockShapes) {
    shapes.push_back(dims.block);
    known = true;
  }
  if (known) facts.block = dims.block;
  return facts;
}

// The part without Python: may compile, and without a stream runs the kernel. A launch that only
// enters a queue takes less time than letting go of the GIL.
void run(FunctionState& kernel, dispatch::LaunchRequest& request, bool on_gpu,
         dispatch::Outcome& outcome) {
  if (on_gpu) {  // whose queue may be full, until a function of the host has had the GIL
    const WithoutGil released;
    return cd_rt_launch(&request, &outcome);
  }
  const bool ready = kernel.ready_key == request.key && kernel.ready_target == cd_rt_target();
  // Another thread may launch when the GIL is free.
  std::shared_ptr<const dispatch::Compiled> code = ready ? kernel.ready_code : nullptr;
  request.code = &code;
  if (request.stream && ready) return cd_rt_launch(&request, &outcome);
  {
    const WithoutGil released;
    cd_rt_launch(&request, &outcome);
  }
  if (ready || outcome.status != dispatch::Status::Ok) return;
  kernel.ready_key = request.key;
  kernel.ready_target = cd_rt_target();
  kernel.ready_code = std::move(code);
}

// False: an exception is set, as where warnings are errors.
bool warn_of_shared(const std::string& kernel) {
  const Diagnostic d{DiagCode::shared_missing, {}, {kernel}, {}, "", {}};
  const std::string text = message_of(d) + ": " + hint_of(d);
  return PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) == 0;
}

std::vector<dispatch::Definition> definitions_of(const syntax::Program& program) {
  std::vector<dispatch::Definition> definitions;
  for (const syntax::Function& f : program.functions) {
    const bool known = f.span.known() && f.span.file < program.files.size();
    definitions.push_back(known ? dispatch::Definition{program.files[f.span.file].name, f.span.line}
                                : dispatch::Definition{});
  }
  return definitions;
}

void submit(FunctionState& kernel, Call& call, const Variant& variant, const abi::LaunchDims& dims,
            bool names_shared, dispatch::Stream* stream, nb::handle globals) {
  struct Source {  // one reference: a function that holds more is put on the heap
    const FunctionState& kernel;
    const Variant& variant;
    Call& call;
    nb::handle globals;
  } source{kernel, variant, call, globals};
  const std::function<dispatch::Specialisation()> specialise = [&source] {
    const uint8_t* key = source.call.key.data();
    const size_t size = source.call.key.size();
    return dispatch::Specialisation{source.variant.program, read_request(key, size),
                                    identity_of(key, size, *source.variant.program),
                                    definitions_of(*source.variant.program)};
  };
  const std::function<bool(const std::vector<Warning>&)> warn = [&source](const auto& warnings) {
    const WithGil gil;
    return warnings.empty() ? warn_of_shared(source.kernel.name)
                            : warn_of_precision(warnings, *source.variant.program, source.globals);
  };
  dispatch::LaunchRequest request;
  request.kernel = kernel.kernel;
  request.key = {reinterpret_cast<const char*>(call.key.data()), call.key.size()};
  request.specialise = &specialise;
  call.params.extend(0, abi::kParamsAlign);
  request.params = call.params.data();
  request.params_size = static_cast<uint32_t>(call.params.size());
  request.dims = dims;
  request.warn = &warn;
  request.gives_shared = names_shared;
  request.stream = stream;
  if (stream) request.owner = call.owner.get();
  request.interrupted = interrupted();
  dispatch::Outcome outcome;
  run(kernel, request, stream && call.where().device() != kHostDevice, outcome);
  if (outcome.status == dispatch::Status::Interrupted) {
    const nb::python_error interrupt;
    write_printed_beside_an_error();
    throw nb::python_error(interrupt);
  }
  const bool launched = outcome.status == dispatch::Status::Ok;
  if (!stream) launched ? write_printed() : write_printed_beside_an_error();
  if (launched && stream) call.owner.release();  // the runtime's now, until drop_finished
  // Where warnings are errors, this one is raised when the kernel was launched.
  const bool raised = !outcome.warning.empty() &&
                      PyErr_WarnEx(PyExc_RuntimeWarning, outcome.warning.c_str(), 1) < 0;
  if (launched && !raised) return;
  if (!launched) {
    PyErr_Clear();
    set_outcome(outcome, variant.program->files, kernel.name);
  }
  throw nb::python_error();
}

// The stream of a launch that names none: a GPU's default stream, or null, which is the host's.
StreamHandle stream_without_one(const Call& call) {
  const int device = call.where().settled();
  return device == kHostDevice ? StreamHandle() : StreamHandle::shared(default_stream_of(device));
}

// Arrays of ours know where they were used last; managed ones of other libraries were handed over
// in the order of their GPU's default stream.
void come_after_earlier_uses(const Call& call, dispatch::Stream* stream, const Ordering& where) {
  call.for_each_used([&](LastUse* last) { stream ? last->move_to(where) : last->wait(); });
  const int managed = call.where().managed_on();
  const bool on_host = !stream || cd_rt_stream_device(stream) == kHostDevice;
  if (managed < 0 || !on_host || cd_rt_gpu_count() == 0) return;
  LastUse handed_over(managed, {});
  stream ? handed_over.before(where) : handed_over.wait();
}

void launch_variant(FunctionObject* kernel, PyObject* const* args, Py_ssize_t count,
                    const Keywords& keywords, const abi::LaunchDims& dims, StreamHandle& stream) {
  FunctionState& state = *kernel->state;
  const Given given(args + 1, static_cast<size_t>(count - 1));
  const std::shared_ptr<Variant> variant = current_variant(kernel, given);
  Call call(state, *variant, stream.get());
  KeyHead head;
  head.dialect = state.dialect;
  write_head(call.key, head);
  add_arguments(call, kernel, args + 1, count - 1);
  if (!stream.get() && !call.where().plainly_on_host()) stream = stream_without_one(call);
  // Until the kernel is done: where the stream goes before, another one may get its handle.
  if (PyObject* object = stream.get() ? object_behind(stream.get(), keywords.stream) : nullptr)
    call.owners().keep(object);
  Ordering where;
  if (call.where().gpu_reaches()) {
    where = Ordering(stream.get(), keywords.stream);
    come_after_earlier_uses(call, stream.get(), where);
  }
  head.variant = variant->id;
  head.facts = launch_facts(state, dims);
  write_head(call.key, head);
  if (!state.kernel) state.kernel = cd_rt_kernel_create();
  submit(state, call, *variant, dims, keywords.shared != nullptr, stream.get(),
         PyFunction_GetGlobals(kernel->underlying));
  if (!stream.get()) return;
  call.for_each_used([&](LastUse* last) { last->was_queued(where); });
  call.for_each_used([](LastUse* last) { last->hand_back(); });
}

void launch_kernel(PyObject* const* args, Py_ssize_t count, PyObject* names) {
  drop_finished();
  FunctionObject* kernel = kernel_of(args, count);
  FunctionState& state = *kernel->state;
  Keywords keywords = read_keywords(args + count, names, state);
  abi::LaunchDims dims;
  read_grid(keywords.grid, state.name, dims);
  read_block(keywords.block, state.name, dims);
  if (keywords.shared) read_shared(keywords.shared, state.name, dims);
  StreamHandle stream;
  if (keywords.stream) stream = stream_of(keywords.stream, state.name);

  refresh(kernel);
  // The program is captured anew with a class that an argument has and the source does not name.
  while (true) {
    try {
      return launch_variant(kernel, args, count, keywords, dims, stream);
    } catch (const MissingType& missing) {
      add_argument_type(state, missing.type);
    }
  }
}

PyObject* launch(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return guarded([&]() -> nb::object {
    launch_kernel(args, count, names);
    return nb::none();
  });
}

constexpr const char* kDoc =
    "launch(f, *args, grid, block, stream=..., shared=0)\n--\n\n"
    "Runs kernel f with the arguments on grid blocks of block threads each.\n\n"
    "args: numbers, arrays (NumPy's, or others that speak DLPack), None, and tuples of them.\n"
    "grid, block: an int or a tuple of one to three ints, x first; a block has at most 1024 "
    "threads.\n"
    "stream: may be left out. A stream of cuda.device.core, or any object with __cuda_stream__: "
    "the "
    "call\n"
    "returns at once, and the launch runs in the stream's order, on its device. Without a stream "
    "it "
    "runs where\n"
    "its arrays live, or on the current device where there are none: on the host the call returns "
    "when the\n"
    "kernel is done, on a GPU at once, in the order of its default stream.\n"
    "shared: bytes of dynamic shared memory of a block.\n\n"
    "Raises CompileError for a kernel that cannot be compiled for these arguments, and "
    "LaunchTypeError,\n"
    "LaunchValueError or LaunchOverflowError for arguments, sizes or streams that cannot be used. "
    "Without\n"
    "stream=, an assert or raise in a kernel is raised here, as KernelFailure and as the class "
    "that the\n"
    "kernel names.";

PyMethodDef launch_method = {"launch",
                             reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(launch)),
                             METH_FASTCALL | METH_KEYWORDS, kDoc};

}  // namespace

void register_launch(nb::module_& module) {
  keyword_names = new KeywordNames();
  nb::object name = nb::str("cuda.device");
  module.attr("launch") = checked(PyCFunction_NewEx(&launch_method, nullptr, name.ptr()));
}

}  // namespace cuda_device::bindings
