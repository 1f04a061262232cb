"""DLPack's C functions of a class, its __dlpack_c_exchange_api__: a partner with them, and ours."""

import ctypes

from support.dlpack import Producer, _capsule_pointer, _new_capsule, _Tensor, _Versioned

NAME = b"dlpack_exchange_api"
_Pointer = ctypes.POINTER(ctypes.c_void_p)
_SetError = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
_Allocate = ctypes.PYFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(_Tensor), _Pointer, ctypes.c_void_p, _SetError
)
_FromObject = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, _Pointer)
_ToObject = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, _Pointer)
_Stream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, _Pointer)


class Api(ctypes.Structure):
    pass


Api._fields_ = (
    ("major", ctypes.c_uint32),
    ("minor", ctypes.c_uint32),
    ("older", ctypes.POINTER(Api)),
    ("allocate", _Allocate),
    ("from_object", _FromObject),
    ("to_object", _ToObject),
    ("view", ctypes.c_void_p),
    ("stream", _Stream),
)
_kept = []
# Sets an exception and gives -1, which no function of ctypes can.
FAILS = ctypes.cast(ctypes.pythonapi.PyObject_AsFileDescriptor, _FromObject)


def capsule_of(api, name=NAME):
    _kept.append((api, name))
    return _new_capsule(ctypes.addressof(api), name, None)


def api_of(cls):
    """Ours, or those of another library, to be called from Python."""
    return Api.from_address(_capsule_pointer(cls.__dlpack_c_exchange_api__, NAME))


def exchanged(api, array):
    """The struct that a class gives of its array."""
    made = ctypes.c_void_p()
    assert api.from_object(array, ctypes.byref(made)) == 0
    return _Versioned.from_address(made.value)


def array_of(api, managed):
    made = ctypes.c_void_p()
    assert api.to_object(ctypes.addressof(managed), ctypes.byref(made)) == 0
    array = ctypes.cast(made, ctypes.py_object).value
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(array))  # the reference that was ours
    return array


def allocated(api, prototype):
    """The struct, or (kind, message) of the error."""
    made, errors = ctypes.c_void_p(), []
    note = _SetError(lambda _, kind, message: errors.append((kind.decode(), message.decode())))
    status = api.allocate(ctypes.byref(prototype), ctypes.byref(made), None, note)
    return _Versioned.from_address(made.value) if status == 0 else errors[0]


def stream_of(api, device):
    found = ctypes.c_void_p()
    assert api.stream(*device, ctypes.byref(found)) == 0
    return found.value


def _from_object(producer, made):
    producer.exchanged += 1
    made[0] = ctypes.addressof(producer.managed())
    return 0


_View = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(_Tensor))


@_View
def _view(producer, found):
    producer.viewed += 1
    ctypes.memmove(found, ctypes.addressof(producer.managed().tensor), ctypes.sizeof(_Tensor))
    return 0


def functions(from_object=None, stream=None, major=1, older=None, views=False):
    """A table; stream: what current_work_stream gives, of (device type, id)."""

    def current(type, id, found):
        found[0] = stream(type, id) if stream else None
        return 0

    api = Api(major, 3, older)
    api.from_object = from_object or _FromObject(_from_object)
    api.stream = _Stream(current)
    api.view = ctypes.cast(_view, ctypes.c_void_p) if views else None
    return api


class Partner(Producer):
    """Exports by C functions, counted in `exchanged`, or by __dlpack__ as Producer does."""

    __dlpack_c_exchange_api__ = capsule_of(functions())
    exchanged = viewed = 0


def partner(*, name=NAME, **changes):
    """A class of its own, with another table or another name of the capsule."""
    capsule = capsule_of(functions(**changes), name)
    return type("Other", (Partner,), {"__dlpack_c_exchange_api__": capsule})
