"""The demos in their small sizes: right results, pictures of what they should show, and a failure
where a kernel is wrong."""

import itertools
import json
import os
import subprocess
import sys
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from cuda.device import _testing
from support.fake_gpu import fake_environment, needs_fake
from support.targets import available

Image = pytest.importorskip("PIL.Image", reason="waits for Pillow")
ndimage = pytest.importorskip("scipy.ndimage", reason="waits for SciPy")
skimage = pytest.importorskip("skimage", reason="waits for scikit-image")

RUN = Path(__file__).resolve().parents[2] / "demo" / "run.py"
PROGRAM = Path(__file__).with_name("demo_program.py")

KERNELS = {
    "photo": (
        "gaussian_blur",
        "bilateral",
        "sobel",
        "count_luminance",
        "equalising_table",
        "recolour",
    ),
    "mandelbrot": ("mandelbrot",),
    "nbody": ("accelerate", "move"),
    "matmul": ("multiply_simply", "multiply"),
    "gray_scott": ("react",),
    "black_scholes": ("black_scholes",),
    "fourier": ("transform_rows", "fade"),
    "path_tracer": ("trace", "first_distance"),
    "laplace_2014": ("relax",),
}


def run(*command, **variables):
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        capture_output=True,
        text=True,
        timeout=280,
        env=os.environ | variables,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Folder with the pictures of a run of all demos, and their kernels as PTX."""
    folder = tmp_path_factory.mktemp("pictures")
    code, printed, errors = run(PROGRAM, "ptx", folder, "--small", "--out", folder)
    assert code == 0, printed + errors
    assert printed.count("times as fast") == 4 + 1 + 1 + 2 + 1 + 1 + 1 + 1 + 1
    return folder


def picture(folder, name):
    return np.asarray(Image.open(folder / name)).astype(np.int32)


def photograph(name):
    path = resources.files("skimage") / "data" / name
    with path.open("rb") as file:
        return np.array(Image.open(file).convert("RGB"))[::2, ::2].astype(np.int32)


def panels(image, rows, columns):
    """The pictures that a sheet is made of, row by row."""
    return [part for row in np.split(image, rows) for part in np.split(row, columns, axis=1)]


def spread(image):
    """How evenly luminances are used: the entropy of their histogram of 16 bins, in bits."""
    luminance = image @ np.array([0.3, 0.59, 0.11])
    share = np.histogram(luminance, bins=16, range=(0, 256))[0] / luminance.size
    return -(share[share > 0] * np.log2(share[share > 0])).sum()


def test_photo(pictures):
    photo, blurred, smooth, equalised, edges, _ = panels(picture(pictures, "photo.png"), 2, 3)
    assert np.array_equal(photo, photograph("rocket.jpg"))
    # Each filter does what it is called, roughly: these are not the demo's own references.
    detail = [np.abs(np.diff(x, axis=0)).mean() for x in (blurred, smooth, photo)]
    assert 0 < detail[0] < detail[1] < detail[2]
    assert np.abs(blurred - ndimage.gaussian_filter(photo, (2, 2, 0), mode="nearest")).max() <= 4
    assert np.abs(smooth - photo).mean() < np.abs(blurred - photo).mean()
    assert spread(equalised) > 3.8 > spread(photo) + 0.8
    assert (edges == edges[..., :1]).all()
    steep = np.hypot(*(ndimage.sobel(smooth.mean(axis=2), axis) for axis in (0, 1)))
    assert np.corrcoef(np.minimum(steep, 255).ravel(), edges[..., 0].ravel())[0, 1] > 0.98


def test_mandelbrot(pictures):
    image = picture(pictures, "mandelbrot.png")
    assert image.shape == (270, 480, 3)
    # From the definition, at points of the picture's frame: some never leave, others soon do.
    assert (image[200, 460] == 0).all()
    assert (image[0, 0] > 0).any()
    assert 0.03 < (image == 0).all(axis=2).mean() < 0.25
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 10_000


def test_nbody(pictures):
    frames = panels(picture(pictures, "nbody.png"), 2, 3)
    warm = [frame[..., 0] > frame[..., 2] + 60 for frame in frames]
    cool = [frame[..., 2] > frame[..., 0] + 60 for frame in frames]
    for lit in (*warm, *cool):
        assert 0.002 < lit.mean() < 0.5
    for before, after in itertools.pairwise(frames):
        assert (before != after).mean() > 0.01


def test_matmul(pictures):
    *ranks, photo = panels(picture(pictures, "matmul.png"), 2, 2)
    assert np.array_equal(photo, photograph("coffee.png"))
    error = [np.sqrt(np.square(image - photo).mean()) for image in ranks]
    assert 40 > error[0] > 1.3 * error[1] > 1.3**2 * error[2] > 0
    assert error[2] < 12


def test_gray_scott(pictures):
    image = picture(pictures, "gray_scott.png").mean(axis=2)
    assert image.shape == (240, 240)
    photo = Image.fromarray(photograph("astronaut.png").astype(np.uint8)).resize((240, 240))
    blurred = [ndimage.gaussian_filter(x, 6) for x in (image, np.asarray(photo).mean(axis=2))]
    assert np.corrcoef(blurred[0].ravel(), blurred[1].ravel())[0, 1] > 0.9
    # Spots and stripes: much that changes within a few points, which the photograph has not.
    assert (image - blurred[0]).std() > 20


def test_fourier(pictures):
    photo, waves, long, short = panels(picture(pictures, "fourier.png"), 2, 2)
    assert np.array_equal(photo, photograph("astronaut.png"))
    # The longest waves, in the middle, are the strongest.
    assert waves[128, 128].min() > 230 > waves[:16, :16].max()
    detail = [np.abs(np.diff(x, axis=0)).mean() for x in (long, photo)]
    assert 0 < detail[0] < 0.6 * detail[1]
    assert np.abs(long + (short - 128) / 1.5 - photo)[8:-8, 8:-8].mean() < 4


def test_path_tracer(pictures):
    image = picture(pictures, "path_tracer.png")
    assert image.shape == (144, 256, 3)
    red, green, blue = (image[..., c] for c in range(3))
    # The red sphere, the blue one, the light, and the sky above them.
    assert ((red > 60 + blue) & (red > 60 + green)).mean() > 0.005
    assert ((blue > 40 + red) & (blue > 20 + green)).mean() > 0.01
    assert (image.min(axis=2) > 240).mean() > 0.002
    assert (blue[:10] >= red[:10] - 8).mean() > 0.9


def test_laplace_2014(pictures):
    image = picture(pictures, "laplace_2014.png")
    assert image.shape == (144, 256, 3)
    warm = image[..., 0] - image[..., 2]
    # Beside the positive plates, and between them and the negative ones.
    assert warm[72, 100] > 20
    assert warm[72, 175:183].mean() > 40
    assert warm[72, 224:232].mean() < -40
    assert warm[:, 205].mean() < warm[:, 190].mean()
    assert abs(warm[2, 130]) < 30


@pytest.mark.parametrize(
    ("demo", "kernel"), [(demo, kernel) for demo, names in KERNELS.items() for kernel in names]
)
def test_wrong_kernel(demo, kernel, tmp_path):
    code, printed, errors = run(PROGRAM, "spoil", kernel, demo, "--small", "--out", tmp_path)
    assert "WRONG: " in printed, printed + errors
    assert code == 1
    assert f"Wrong results: {demo}" in errors


def test_as_ptx(pictures, tmp_path):
    """Every kernel compiles for a GPU, and assembles where there is a ptxas."""
    names = {path.stem for path in pictures.glob("*.ptx")}
    assert names == {kernel for names in KERNELS.values() for kernel in names}
    ptxas = _testing.facts()["ptxas"]
    if ptxas == "not found":
        pytest.skip("assembling waits for ptxas")
    for path in pictures.glob("*.ptx"):
        command = [ptxas, "-arch=sm_90", "-o", tmp_path / "cubin", path]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{path.stem}: {done.stderr}"


@pytest.mark.parametrize("device", ["avx2", "gpu"])
def test_device(device, tmp_path):
    if not available("cuda" if device == "gpu" else device):
        pytest.skip(f"waits for a machine with {device}")
    code, printed, errors = run(RUN, "--small", "--device", device, "--out", tmp_path)
    assert code == 0, printed + errors


@needs_fake
def test_on_the_tests_driver(tmp_path):
    """--device=gpu on a driver that has the CPU run what is launched: right results, and arrays are
    copied before and after the launches, not by each of them."""
    counts = tmp_path / "counts.json"
    command = [PROGRAM, "fake", counts, "--small", "--device=gpu", "--out", tmp_path]
    code, printed, errors = run(*command, **fake_environment())
    assert code == 0, printed + errors
    assert printed.startswith("On the GPU. Arrays are copied there first")
    launched, done, copies = json.loads(counts.read_text())
    assert launched == done
    assert set(launched) == {kernel for names in KERNELS.values() for kernel in names}
    assert copies < 120 < 1000 < len(launched)


@pytest.mark.parametrize("demo", KERNELS)
def test_each_runs_by_itself(demo, tmp_path):
    path = RUN.with_name(f"{demo}.py")
    code, printed, errors = run(path, "--out", path)  # which is no folder
    assert (code, printed) == (2, "")
    assert f"error: --out={path}: File exists" in errors


def test_one_by_itself(tmp_path):
    path = RUN.with_name("black_scholes.py")
    code, printed, errors = run(path, "--small", "--out", tmp_path)
    assert code == 0, printed + errors
    assert printed.startswith("Black-Scholes, 100,003 options\n")
    assert printed.count("times as fast") == 1


def test_no_gpu(tmp_path):
    if available("cuda"):
        pytest.skip("waits for a machine without a GPU")
    code, printed, errors = run(RUN, "--small", "--device=gpu", "--out", tmp_path)
    assert code == 2
    assert f"error: --device=gpu: no device 'cuda:0': {_testing.facts()['gpu']}" in errors
    assert "no CUDA driver" in errors or "GPU" in errors
    assert not printed
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["sobell"], "no demo 'sobell'; there are: photo, mandelbrot"),
        (["--photo=none.jpg"], "--photo=none.jpg: no such file"),
        ([f"--out={RUN}"], f"--out={RUN}: File exists"),
    ],
)
def test_bad_arguments(arguments, text):
    code, _, errors = run(RUN, *arguments)
    assert code == 2
    assert text in errors
