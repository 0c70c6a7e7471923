"""ONNX signal processing on options that the onnx package's own suite does not have."""

from __future__ import annotations

import numpy as np
import pytest

from sol.errors import UnsupportedError
from tests.frontend.onnx.one_node import check, model_of, randn, run


@pytest.mark.parametrize("length", [6, 9, 11])
@pytest.mark.parametrize("parts", [1, 2])
def test_transforms_of_cut_and_padded_signals(length: int, parts: int) -> None:
    x, n = randn(2, 9, 3, parts), np.array(length)
    check("DFT", [x, n, np.array(1)], constants=(1, 2), tolerance=1e-4)
    if parts == 1:
        check("DFT", [x, n, np.array(-3)], constants=(1, 2), onesided=1)
    else:
        check("DFT", [x, n], opset=17, constants=(1,), axis=1, inverse=1)


@pytest.mark.parametrize("length", [8, 9])
def test_inverse_of_a_half_spectrum(length: int) -> None:
    signal = randn(2, length)
    half = np.fft.rfft(signal)
    x = np.stack([half.real, half.imag], -1).astype(np.float32)
    model, given = model_of("DFT", [x, np.array(length), np.array(1)], constants=(1, 2), inverse=1, onesided=1, opset=20)
    np.testing.assert_allclose(run(model, given)[0][..., 0], signal, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("onesided", [0, 1])
def test_short_time_transform(onesided: int) -> None:
    window = np.hanning(16).astype(np.float32)
    check("STFT", [randn(2, 50, 1), np.array(5), window], constants=(1,), onesided=onesided)


def test_windows_of_one_element_and_other_types() -> None:
    (y,) = check("HannWindow", [np.array(7)], constants=(0,), output_datatype=11, tolerance=1e-12)
    assert y.dtype == np.float64
    model, given = model_of("BlackmanWindow", [np.array(1)], constants=(0,), periodic=0)
    np.testing.assert_array_equal(run(model, given)[0], [1])


def test_a_transform_that_is_too_long_is_a_clear_error() -> None:
    with pytest.raises(UnsupportedError, match="5000 points"):
        run(*model_of("DFT", [randn(1, 5000, 1)], opset=20))


def test_ngrams_with_skips_and_weights() -> None:
    options = {
        "mode": "TFIDF", "min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 1, "ngram_counts": [0, 3],
        "ngram_indexes": [0, 1, 2, 3, 4], "pool_int64s": [1, 2, 3, 1, 2, 2, 3], "weights": [0.5, 1.0, 2.0, 3.0, 0.25],
    }  # fmt: skip
    check("TfIdfVectorizer", [np.array([[1, 2, 3, 2, 3], [3, 1, 1, 2, 2]])], engine="ort", **options)
