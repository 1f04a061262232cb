"""docs/not-implemented.md lists everything that the sources refuse as "not implemented yet"."""

import pytest
from cuda import device as D
from support.bad_programs import FLOATS

from support import planned


def test_the_page_lists_what_the_sources_refuse():
    """`scripts/conformance.py --not-implemented` prints the section as it must stand."""
    wrong = planned.differences(planned.read_page(), planned.lines())
    assert not wrong, "\n".join(wrong)


def test_features_are_read_from_the_sources():
    assert planned.argument_at('f(a, g("x, )", 2), c)', 5) == 'g("x, )", 2)'
    assert planned.feature_of('"\'" + name + "\' of an array"') == "'…' of an array"
    assert planned.feature_of('type_text(x) + " arithmetic"') == "… arithmetic"
    assert planned.feature_of('"the annotation " + text') == "the annotation …"
    assert planned.feature_of("refusal.name") is None
    assert "a pattern of a mapping" in planned.syntax_features()
    assert "the 'with' statement" not in planned.syntax_features()
    assert {"slicing", "a keyword argument of …()"} <= set(planned.kernel_features())
    assert planned.diagnostic_features() == []
    assert "fsum" in planned.later_entities()["math"]
    assert planned.planned_options() == ["interop", "link", "check"]
    assert planned.argument_formats() == []


def test_a_line_that_lacks_a_feature_or_has_one_too_many_is_found():
    wanted = {"a": "- a: x; y", "b": "- b: z"}
    page = "## Not implemented yet\n\n- prose\n- a: x; y\n- b: z\n\n## Next\n- c: 1\n"
    assert planned.differences(page, wanted) == []
    (wrong,) = planned.differences(page.replace("x; y", "x"), wanted)
    assert wrong.startswith("a: the sources say\n- a: x; y\n")
    assert len(planned.differences(page.replace("- b: z", "- b: z; w"), wanted)) == 1
    assert len(planned.differences("# Status\n", wanted)) == 2


@pytest.mark.parametrize("name", planned.later_entities()["math"])
def test_functions_of_math_that_are_listed_are_refused(name):
    import linecache
    import math

    if not hasattr(math, name):
        pytest.skip(f"waits for a Python with math.{name}")
    source = f"@D.kernel\ndef kernel(a):\n    a[0] = math.{name}(a[0])\n"
    linecache.cache[f"<{name}>"] = (len(source), None, source.splitlines(True), f"<{name}>")
    names = {"D": D, "math": math}
    exec(compile(source, f"<{name}>", "exec"), names)
    with pytest.raises(
        D.errors.NotImplementedYetError, match=f"math.{name} is not implemented yet"
    ):
        D.launch(names["kernel"], FLOATS, grid=1, block=1)
