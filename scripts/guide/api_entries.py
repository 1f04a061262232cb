"""The pages of the API reference, made from the package and its stub."""

import ast
import inspect
import re
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import cuda.device
import numpy as np
from cuda.device import (
    _core,
    _intrinsics,
    _targets,
    _vectors,
    _warp_calls,
    array_api,
    core,
    errors,
    numbapro,
    random,
)
from cuda.device.numbapro import _devices, _jit, _memory

PACKAGE = Path(inspect.getfile(cuda.device)).parent

# What a page shows, in sections; a test compares with what the modules export.
DEVICE: dict[str, list[str]] = {
    "Kernels and launches": ["kernel", "func", "launch", "blocks"],
    "Positions, in kernels": [
        *["tid", "grid_size", "thread_idx", "block_idx", "block_dim", "grid_dim"],
        *["lane_id", "warp_size", "Dim3"],
    ],
    "Memory of blocks and threads, in kernels": [
        *["local_array", "shared_array", "dynamic_shared_array"],
    ],
    "Barriers, in kernels": [
        *["syncthreads", "syncthreads_count", "syncthreads_and", "syncthreads_or"],
    ],
    "Atomics": ["atomic_ref", "Atomic", "AtomicInterface", "AtomicRef", "threadfence"],
    "Warps": ["WarpMask", *_warp_calls.__all__],
    "Numbers": _intrinsics.__all__,
    "Vectors": ["Vector", *(name for name in _vectors.__all__ if name not in ("Vector", "Dim3"))],
    "Targets": _targets.__all__,
    "Structs": ["struct", "replace", "align"],
    "Arrays": [
        *["empty", "zeros", "full", "arange", "asarray", "from_dlpack", "to_host", "Array"],
        *["as_cuda_array", "from_cuda_array_interface", "from_sycl_usm"],
    ],
    "Formats": [
        *["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"],
        *["float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2"],
        *["complex64", "complex128", "ConstExpr"],
    ],
    "The package": ["core", "machine_representation", "__version__"],
}
CORE: dict[str, list[str]] = {
    "Devices": ["Device", "DeviceProperties", "ComputeCapability"],
    "Launches": ["launch", "LaunchConfig"],
    "Streams and events": ["Stream", "StreamOptions", "Event", "EventOptions"],
    "Memory": [
        *["Buffer", "MemoryResource", "DeviceMemoryResource", "PinnedMemoryResource"],
        "ManagedMemoryResource",
    ],
}
# Of NumbaPro's `cuda`.
NUMBAPRO: dict[str, list[str]] = {
    "Kernels": ["jit", "autojit"],
    "Positions, in kernels": [
        *["grid", "gridsize", "threadIdx", "blockIdx", "blockDim", "gridDim"],
    ],
    "Memory and barriers of a block, in kernels": ["shared", "local", "syncthreads"],
    "Memory of the device": [
        *["to_device", "device_array", "device_array_like", "mapped", "pinned", "pinned_array"],
    ],
    "Arrays of other libraries": [
        *["as_cuda_array", "from_cuda_array_interface", "is_cuda_array", "config"],
    ],
    "Streams and events": [
        *["stream", "default_stream", "legacy_default_stream", "per_thread_default_stream"],
        *["external_stream", "event", "event_elapsed_time", "synchronize"],
    ],
    "Devices": ["select_device", "get_current_device", "is_available", "detect", "close"],
}
# Names of array_api that have a text of ours. The others are those of the standard and of NumPy.
ARRAY_API: dict[str, list[str]] = {
    "Arrays": ["HostArray"],
    "Making arrays": [
        *["empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like"],
        *["arange", "linspace", "eye", "meshgrid", "asarray", "from_dlpack"],
    ],
    "Dtypes and what there is": [
        *["astype", "can_cast", "result_type", "isdtype", "finfo", "iinfo"],
        "__array_namespace_info__",
    ],
    "Functions with parameters of their own": [
        *["broadcast_arrays", "expand_dims", "take_along_axis", "sort", "argsort"],
        *["count_nonzero", "diff", "clip", "expm1"],
    ],
}
# Types of values that a user has, without names of their own.
OBJECTS = {
    "Kernel": "What `@kernel` makes of a function. `launch` takes it; calling it is a TypeError.",
    "Func": "What `@func` makes of a function. Called on the host it is that function.",
}

Node = ast.FunctionDef | ast.ClassDef


def _stub() -> dict[str, Node]:
    """Functions and classes of the stub, methods as Class.method."""
    found: dict[str, Node] = {}
    for node in ast.parse((PACKAGE / "_core.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, Node):
            found[node.name] = node
        if isinstance(node, ast.ClassDef):
            methods = [n for n in node.body if isinstance(n, ast.FunctionDef)]
            found |= {f"{node.name}.{method.name}": method for method in methods}
    return found


STUB = _stub()


def _of_stub(path: str, name: str) -> str:
    node = STUB[path]
    assert isinstance(node, ast.FunctionDef)
    arguments = re.sub(r"^self(, )?(/, )?", "", ast.unparse(node.args))
    result = ast.unparse(node.returns) if node.returns else "None"
    return _short(f"{name}({arguments}) -> {result}")


_SHORTER = {
    r"\b(?:_core\.)?Kernel\[[^\]]*\]": "Kernel",
    r"\bCudaStream\b": "Stream",
    r"<object object at \w+>": "...",
    r"<factory>": "...",
    r"~(T)\b": r"\1",
    r"<class '[\w.]*?(\w+)'>": r"\1",
    r"\b(?:typing|collections\.abc|numpy|cuda\.device\.\w+)\.": "",
    r"(: |-> )'([^']*)'": r"\1\2",
}


def _short(signature: str) -> str:
    for long, short in _SHORTER.items():
        signature = re.sub(long, short, signature)
    return signature


def _signature(function: Any, name: str) -> str:
    """As a user writes it: without self, what collects misspelt keywords, and empty annotations."""
    signature = inspect.signature(function)
    of_object = {"self", "cls"} | ({"function", "kernel"} if name.startswith("kernel.") else set())
    parameters = [
        p.replace(annotation=p.empty) if p.annotation in (Any, "Any", object, "object") else p
        for p in signature.parameters.values()
        if p.name not in of_object and p.kind is not p.VAR_KEYWORD
    ]
    result = signature.return_annotation
    if result in (Any, "Any"):
        result = signature.empty
    made = _short(str(signature.replace(parameters=parameters, return_annotation=result)))
    return name + made.replace("'", '"')


def _escaped(line: str) -> str:
    return re.sub(r"([*<\[\]])", r"\\\1", line)


def _prose(paragraph: str) -> str:
    """A paragraph; one that is a table or a program stays as it is."""
    if re.search(r"\S {2,}\S", paragraph) or paragraph.startswith("@"):
        return f"```text\n{paragraph}\n```"
    line = re.sub(r"(?<![\w`])(__\w+__)(?![\w`])", r"`\1`", " ".join(paragraph.split()))
    code = re.split(r"(`[^`]*`)", line)
    return "".join(part if part.startswith("`") else _escaped(part) for part in code)


# "grid, block: an int or a tuple", at the beginning of a sentence.
_PARAMETERS = r"[a-z_]+(?:, [a-z_]+)*:\s"


def _sentences(paragraph: str) -> list[str]:
    """Parts of a paragraph: parameters become items of a list, what is raised stands for itself."""
    parts = re.split(rf"(?:^|(?<=\.)\s+)(?={_PARAMETERS}|Raises )", paragraph)
    shown = []
    for part in filter(None, parts):
        if match := re.match(_PARAMETERS, part):
            names = ", ".join(
                f"`{name}`" for name in match[0].strip().removesuffix(":").split(", ")
            )
            shown.append(f"- {names}: {_prose(part[match.end() :])}")
        else:
            shown.append(_prose(part))
    return shown


def described(text: str | None) -> str:
    """A docstring as Markdown, without the signature that nanobind puts in front of it."""
    text = re.sub(r"\A\w+\(.*\) -> .*\n\n", "", inspect.cleandoc(text or ""))
    parts = [part for p in text.split("\n\n") if p.strip() for part in _sentences(p)]
    joined = "\n\n".join(parts)
    return re.sub(r"^(- .*)\n(?=\n- )", r"\1", joined, flags=re.MULTILINE)


def _members(kind: type) -> list[str]:
    """Public methods and properties, each once, where the class itself defines them."""
    own = [
        name
        for name, value in vars(kind).items()
        if not name.startswith("_") and (value.__doc__ or not inspect.ismemberdescriptor(value))
    ]
    fields = set(getattr(kind, "__dataclass_fields__", {})) | set(getattr(kind, "_fields", ()))
    return [name for name in own if name not in fields and not _is_of_numpy(kind, name)]


def _is_of_numpy(kind: type, name: str) -> bool:
    """Whether a class of arrays has it with the text of NumPy's."""
    of_numpy = getattr(np.ndarray, name, None) if issubclass(kind, np.ndarray) else None
    return of_numpy is not None and of_numpy.__doc__ == getattr(kind, name).__doc__


def _fields(kind: type) -> list[str]:
    """Fields of a dataclass that have a comment at the end of their line."""
    if not hasattr(kind, "__dataclass_fields__"):
        return []
    found = re.findall(r"^    (\w+): .*?  # (.*)$", inspect.getsource(kind), re.MULTILINE)
    return [f"* `{name}`\n\n  {_escaped(text)}" for name, text in found]


def _member(kind: type, name: str) -> str:
    value = inspect.getattr_static(kind, name)
    path = f"{kind.__name__}.{name}"
    if isinstance(value, staticmethod | classmethod):
        value = value.__func__
    if isinstance(value, property) or not callable(getattr(kind, name)):
        shown = name
    elif path in STUB:
        shown = _of_stub(path, name)
    else:
        shown = _signature(value, name)
    text = described(getattr(value, "__doc__", None))
    return f"* `{shown}`\n\n  " + text.replace("\n", "\n  ")


def _heading(value: Any, name: str) -> str:
    """What a user writes to make or call it."""
    if inspect.isbuiltin(value):
        return _of_stub(name, name)
    if not isinstance(value, type):
        return _signature(value, name)
    if name in STUB:
        init = f"{name}.__init__"
        return f"class {name}" + (
            f"{_of_stub(init, '').partition(' -> ')[0]}" if init in STUB else ""
        )
    return "class " + _signature(value, name).partition(" -> ")[0]


def _entry(value: Any, name: str) -> str:
    text = described(OBJECTS.get(name) or value.__doc__)
    title = name.replace("__", r"\_\_")
    parts = [f"### {title}", f"```text\n{_heading(value, name)}\n```", text]
    if isinstance(value, type):
        parts += _fields(value)
        parts += [_member(value, member) for member in _members(value)]
    return "\n\n".join(part for part in parts if part)


def _commented(module: str) -> dict[str, str]:
    """{name: comment} of variables that stand below a comment with their clause."""
    source = (PACKAGE / f"{module}.py").read_text(encoding="utf-8")
    found = re.findall(r"^# DEV-[\w-]+: (.*)\n(\w+): Any = ", source, re.MULTILINE)
    return {name: text[0].upper() + text[1:] for text, name in found}


def _format_row(name: str) -> str:
    kind = getattr(cuda.device, name)
    return f"| `{name}` | `{kind.__module__.split('.')[0]}.{kind.__name__}` |"


def _is_vector(value: Any) -> bool:
    return isinstance(value, type) and value.__base__ is cuda.device.Vector


def _vector_rows(names: list[str]) -> list[str]:
    """A row for each format, with its types of one to four components."""
    types = [getattr(cuda.device, name) for name in names if _is_vector(getattr(cuda.device, name))]
    rows: dict[str, list[str]] = {}
    for kind in types:
        dtype = kind.numpy_dtype
        text = f"`{kind.__name__}` {dtype.itemsize} / {dtype.alignment}"
        rows.setdefault(kind.__name__[:-2], []).append(text)
    return [f"| {' | '.join(row)} |" for row in rows.values()]


def _vectors_text(names: list[str]) -> list[str]:
    rows = _vector_rows(names)
    if not rows:
        return []
    head = "The types, with their size and alignment in bytes, which are those of CUDA C++:"
    return [head, "\n".join(["| x | x, y | x, y, z | x, y, z, w |", "|---|---|---|---|", *rows])]


def _device_section(names: list[str]) -> str:
    variables, entries, formats = _commented("_positions"), [], []
    targets = []
    for name in names:
        value = getattr(cuda.device, name)
        if name in variables:
            entries.append(f"### {name}\n\n{_escaped(variables[name])}")
        elif isinstance(value, ModuleType):
            entries.append(
                f"### {name}\n\n{described(value.__doc__)}\n\n"
                "Its names: [cuda.device.core](core.md)."
            )
        elif name == "__version__":
            entries.append("### \\_\\_version\\_\\_\n\nThe version of the package, a string.")
        elif isinstance(value, type) and not value.__module__.startswith("cuda."):
            formats.append(_format_row(name))
        elif _is_vector(value):
            continue  # in a table of all
        elif isinstance(value, (_targets.SMSelector, _targets.TargetDescription)):
            targets.append(f"`{name}`")
        else:
            entries.append(_entry(value, name))
    if formats:
        table = ["| name | is |", "|---|---|", *formats]
        entries.insert(0, "On the host these are the number classes of NumPy and ml_dtypes.")
        entries.insert(1, "\n".join(table))
    if targets:
        entries.append(f"### Descriptions and selectors\n\n{' '.join(targets)}")
    return "\n\n".join(entries + _vectors_text(names))


MADE = "<!-- written by scripts/gen_api.py -->\n"


def _page(title: str, introduction: str | None, sections: dict[str, str]) -> str:
    parts = [f"{MADE}\n# {title}", described(introduction)]
    for heading, text in sections.items():
        parts += [f"## {heading}", text]
    return "\n\n".join(parts) + "\n"


def _device_page() -> str:
    sections = {title: _device_section(names) for title, names in DEVICE.items()}
    sections["Kernels and functions as objects"] = "\n\n".join(
        _entry(getattr(_core, name), name) for name in OBJECTS
    )
    from cuda.device._inspect import inspect as inspected
    from cuda.device._stats import Stats, stats

    sections["Inspection"] = "\n\n".join(
        [
            _entry(inspected, "kernel.inspect"),
            _entry(stats, "kernel.stats"),
            _entry(Stats, "Stats"),
        ]
    )
    introduction = (cuda.device.__doc__ or "").partition("\n\n")[0]
    return _page("cuda.device", introduction, sections)


def _random_page() -> str:
    functions = "\n\n".join(_entry(getattr(random, name), name) for name in random.__all__)
    return _page("cuda.device.random", random.__doc__, {"Functions": functions})


_STANDARD = "https://data-apis.org/array-api/2024.12"


def _of_standard(names: Iterable[str]) -> str:
    return " ".join(f"`{name}`" for name in sorted(names))


def _array_api_page() -> str:
    sections = {
        title: "\n\n".join(_entry(getattr(array_api, name), name) for name in names)
        for title, names in ARRAY_API.items()
    }
    sections["Functions of the standard"] = "\n\n".join(
        [
            f"They have the parameters of [the standard]({_STANDARD}/API_specification/).",
            "Of HostArrays they are NumPy's functions, with all of their parameters:",
            _of_standard(array_api._DELEGATED),
            *(
                f"Those of `{space}`:\n\n{_of_standard(vars(getattr(array_api, space)))}"
                for space in ("linalg", "fft")
            ),
        ]
    )
    sections["Dtypes and constants"] = f"Those of NumPy:\n\n{_of_standard(array_api._SAME)}"
    return _page("cuda.device.array_api", array_api.__doc__, sections)


def _core_page() -> str:
    sections = {
        title: "\n\n".join(_entry(getattr(core, name), name) for name in names)
        for title, names in CORE.items()
    }
    return _page("cuda.device.core", core.__doc__, sections)


def _errors_page() -> str:
    rows = []
    for name in errors.__all__:
        kind = getattr(errors, name)
        bases = ", ".join(f"`{base.__name__}`" for base in kind.__bases__)
        text = _prose(inspect.cleandoc(kind.__doc__ or ""))
        rows.append(f"| `{name}` | {bases} | {text} |")
    table = "\n".join(["| class | is a | raised for |", "|---|---|---|", *rows])
    more = "[Error messages](../guide/errors.md) lists what they say."
    return _page("cuda.device.errors", errors.__doc__, {"Classes": f"{table}\n\n{more}"})


def _numbapro_entry(name: str) -> str:
    value = getattr(numbapro.cuda, name)
    if name in ("shared", "local"):
        return _entry(value.array, f"{name}.array")
    if name == "config":
        text = "CUDA\\_ARRAY\\_INTERFACE\\_SYNC = 0: streams of other libraries are not waited for."
        return f"### config\n\n{text}"
    if name in _POSITIONS_2014:
        return f"### {name}\n\n{_POSITIONS_2014[name]}"
    return _entry(value, name)


_POSITIONS_2014 = {
    "threadIdx": "Index of the thread in its block: .x .y .z, int32.",
    "blockIdx": "Index of the block in the grid: .x .y .z, int32.",
    "blockDim": "Threads of a block along each axis: .x .y .z, int32.",
    "gridDim": "Blocks of the grid along each axis: .x .y .z, int32.",
}


def _type_rows() -> str:
    """The type objects, each with its other names."""
    names: dict[str, list[str]] = {}
    for name in numbapro._type_names:
        names.setdefault(getattr(numbapro, name).name, []).append(f"`{name}`")
    rows = [f"| {', '.join(names[kind])} | {kind} |" for kind in names if kind != "void"]
    return "\n".join(["| names | is |", "|---|---|", *rows])


def _numbapro_page() -> str:
    sections = {
        title: "\n\n".join(map(_numbapro_entry, names)) for title, names in NUMBAPRO.items()
    }
    kinds = (_jit.CUDAKernel, _memory.DeviceNDArray, _memory.Stream, _memory.Event, _devices.Device)
    sections["Objects"] = "\n\n".join(_entry(kind, kind.__name__) for kind in kinds)
    sections["Types"] = "\n\n".join(
        [
            "Names of `cuda.device.numbapro`, beside `cuda`, `jit` and `autojit`.",
            _type_rows(),
            _entry(type(numbapro.int32), "NumberType"),
            _entry(type(numbapro.void), "void"),
        ]
    )
    sections["Old programs"] = _entry(numbapro.install, "install")
    introduction = (
        "NumbaPro's CUDA Python, specification v0.2. Most names here are those of its `cuda`."
    )
    more = "[The three ways](../guide/three-ways.md) says how its kernels differ."
    sections["Kernels"] = f"{more}\n\n{sections['Kernels']}"
    return _page("cuda.device.numbapro", introduction, sections)


def pages() -> dict[str, str]:
    """{file in docs/api: its text}."""
    return {
        "device.md": _device_page(),
        "core.md": _core_page(),
        "errors.md": _errors_page(),
        "random.md": _random_page(),
        "array_api.md": _array_api_page(),
        "numbapro.md": _numbapro_page(),
    }
