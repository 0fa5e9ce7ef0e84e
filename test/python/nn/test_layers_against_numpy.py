"""Layers that NumPy gives in a line or two: padding, dropout of channels, initial values; and those made of layers that PyTorch checks."""

import numpy as np
import pytest

import morok
from morok import Tensor, nn, optim

MODES = {"ZeroPad": ("constant", {}), "ConstantPad": ("constant", {"constant_values": 2.0}), "ReflectionPad": ("reflect", {}), "ReplicationPad": ("edge", {}),
         "CircularPad": ("wrap", {})}


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("kind", MODES)
def test_padding(kind, axes):
    x = drawn(2, 1, *(3, 4, 5)[:axes])
    sizes = [1, 2, 2, 0, 1, 1][:2 * axes]  # of the last axis first
    pairs = [(0, 0), (0, 0), *reversed([tuple(sizes[i:i + 2]) for i in range(0, 2 * axes, 2)])]
    mode, options = MODES[kind]
    layer = getattr(nn, f"{kind}{axes}d")(sizes, *([2.0] if kind == "ConstantPad" else []))
    np.testing.assert_array_equal(layer(Tensor(x)).numpy(), np.pad(x, pairs, mode, **options))


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_dropout_of_channels(axes):
    x = np.abs(drawn(40, 25, *(2, 3, 2)[:axes])) + 0.1
    for call in (getattr(nn, f"Dropout{axes}d")(0.3), lambda t: getattr(nn.functional, f"dropout{axes}d")(t, 0.3)):
        ratio = call(Tensor(x)).numpy() / x
        of_channel = ratio.reshape(40, 25, -1)
        np.testing.assert_allclose(of_channel, np.repeat(of_channel[..., :1], of_channel.shape[-1], -1))  # all of a channel, or nothing
        assert np.all((of_channel == 0) | np.isclose(of_channel, 1 / 0.7))
        assert abs((of_channel[..., 0] == 0).mean() - 0.3) < 0.06
    np.testing.assert_array_equal(getattr(nn, f"Dropout{axes}d")(0.3).eval()(Tensor(x)).numpy(), x)


def test_convolutions_of_one_and_three_axes():
    layer, x = nn.Conv1d(2, 3, 2), drawn(1, 2, 5)
    windows = np.lib.stride_tricks.sliding_window_view(x, 2, 2)
    expected = np.einsum("bcnk,ock->bon", windows, layer.weight.numpy()) + layer.bias.numpy()[:, None]
    np.testing.assert_allclose(layer(Tensor(x, dtype="float32")).numpy(), expected, rtol=1e-4, atol=1e-5)
    layer, x = nn.Conv3d(2, 3, 2), drawn(1, 2, 3, 3, 2)
    windows = np.lib.stride_tricks.sliding_window_view(x, (2, 2, 2), (2, 3, 4))
    expected = np.einsum("bcxyzijk,ocijk->boxyz", windows, layer.weight.numpy()) + layer.bias.numpy()[:, None, None, None]
    np.testing.assert_allclose(layer(Tensor(x, dtype="float32")).numpy(), expected, rtol=1e-4, atol=1e-5)
    transposed, y = nn.ConvTranspose3d(3, 2, 2, bias=False), drawn(1, 3, 2, 2, 1)
    back = transposed(Tensor(y, dtype="float32")).numpy()
    forth = np.einsum("bcxyzijk,ocijk->boxyz", windows, transposed.weight.numpy())
    np.testing.assert_allclose((back * x).sum(), (forth * y).sum(), rtol=1e-4)  # the transpose of a linear map


def test_norms_of_images_and_volumes():
    x = drawn(2, 3, 2, 2, 2)
    for layer, over in ((nn.BatchNorm3d(3), (0, 2, 3, 4)), (nn.InstanceNorm3d(3), (2, 3, 4))):
        expected = (x - x.mean(over, keepdims=True)) / np.sqrt(x.var(over, keepdims=True) + 1e-5)
        np.testing.assert_allclose(layer(Tensor(x, dtype="float32")).numpy(), expected, rtol=1e-4, atol=1e-5)
    x = x[..., 0]
    expected = (x - x.mean((2, 3), keepdims=True)) / np.sqrt(x.var((2, 3), keepdims=True) + 1e-5)
    np.testing.assert_allclose(nn.InstanceNorm2d(3)(Tensor(x, dtype="float32")).numpy(), expected, rtol=1e-4, atol=1e-5)


def test_pools_of_volumes():
    x = drawn(2, 2, 4, 6)
    np.testing.assert_allclose(nn.LPPool3d(2, (1, 4, 3))(Tensor(np.abs(x)[:, None])).numpy(),
                               np.sqrt((np.abs(x)[:, None].reshape(2, 1, 2, 1, 4, 2, 3) ** 2).sum((4, 6))), rtol=1e-6)
    np.testing.assert_allclose(nn.functional.lp_pool3d(Tensor(np.abs(x)[:, None]), 2, (1, 4, 3)).numpy(),
                               nn.LPPool3d(2, (1, 4, 3))(Tensor(np.abs(x)[:, None])).numpy())
    expected = x.reshape(2, 2, 2, 2, 3, 2).max((3, 5))
    for pooled in (nn.AdaptiveMaxPool3d((2, 2, 3))(Tensor(x)), nn.functional.adaptive_max_pool3d(Tensor(x), (2, 2, 3))):
        np.testing.assert_array_equal(pooled.numpy(), expected)


def test_movement():
    x = drawn(2, 6, 3)
    expected = x.reshape(2, 2, 3, 3).swapaxes(1, 2).reshape(2, 6, 3)
    np.testing.assert_array_equal(nn.ChannelShuffle(2)(Tensor(x)).numpy(), expected)
    np.testing.assert_array_equal(nn.functional.channel_shuffle(Tensor(x), 2).numpy(), expected)
    np.testing.assert_array_equal(nn.Unflatten(1, (2, -1))(Tensor(x)).numpy(), x.reshape(2, 2, 3, 3))
    index = np.array([[2, 0], [5, 5]])
    np.testing.assert_array_equal(nn.functional.embedding(Tensor(index), Tensor(x[0])).numpy(), x[0][index])


def test_attention_weights():
    q, k = drawn(2, 3, 4), drawn(2, 5, 4, seed=1)
    scores = q @ k.swapaxes(1, 2) / 2
    expected = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    np.testing.assert_allclose(nn.functional.attention_weights(Tensor(q), Tensor(k)).numpy(), expected, rtol=1e-9)


def test_stacks_of_transformer_layers_apply_them_in_turn():
    x = Tensor(drawn(2, 3, 8), dtype="float32")
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0), 2)
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0), 2)
    encoded, decoded = x, x
    for layer in encoder.layers:
        encoded = layer(encoded)
    for layer in decoder.layers:
        decoded = layer(decoded, encoded)
    np.testing.assert_allclose(encoder(x).numpy(), encoded.numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(decoder(x, encoded).numpy(), decoded.numpy(), rtol=1e-5, atol=1e-6)


def test_initial_values():
    t = Tensor.zeros(300, 200)
    laws = {"xavier_normal_": 2 / 500, "xavier_uniform_": 2 / 500, "kaiming_normal_": 2 / 200, "kaiming_uniform_": 2 / 200}
    for name, variance in laws.items():
        found = getattr(nn.init, name)(t).numpy()
        np.testing.assert_allclose(found.var(), variance, rtol=0.05)
        assert abs(found.mean()) < 4 * (variance / found.size) ** 0.5
        bound = (3 * variance) ** 0.5
        assert np.abs(found).max() <= bound * 1.0001 if "uniform" in name else np.abs(found).max() > bound
    np.testing.assert_array_equal(nn.init.eye_(Tensor.ones(2, 3)).numpy(), np.eye(2, 3))
    np.testing.assert_array_equal(nn.init.constant_(Tensor.ones(2, 3), 0.5).numpy(), np.full((2, 3), 0.5))
    np.testing.assert_array_equal(nn.init.zeros_(Tensor.ones(3)).numpy(), np.zeros(3))
    np.testing.assert_array_equal(nn.init.ones_(Tensor.zeros(3)).numpy(), np.ones(3))


def test_lamb_scales_adams_step_by_the_ratio_of_norms():
    start, gradient = drawn(3, 2), drawn(3, 2, seed=1)
    w = Tensor(start).requires_grad_()
    optimiser = optim.LAMB([w], lr=0.1, betas=(0.9, 0.99), eps=1e-6, weight_decay=0.01)
    value, m, v = start.copy(), np.zeros((3, 2)), np.zeros((3, 2))
    for step in (1, 2, 3):
        optimiser.zero_grad()
        (w * Tensor(gradient)).sum().backward()
        optimiser.step()
        m, v = 0.9 * m + 0.1 * gradient, 0.99 * v + 0.01 * gradient ** 2
        update = (m / (1 - 0.9 ** step)) / (np.sqrt(v / (1 - 0.99 ** step)) + 1e-6) + 0.01 * value
        value = value - 0.1 * np.linalg.norm(value) / np.linalg.norm(update) * update
    np.testing.assert_allclose(w.numpy(), value, rtol=1e-6)


def test_numbers_like_another_tensors():
    x = Tensor(np.zeros((40, 50), np.float64))
    uniform, normal = morok.rand_like(x).numpy(), morok.randn_like(x).numpy()
    assert uniform.shape == normal.shape == (40, 50) and uniform.dtype == normal.dtype == np.float64
    np.testing.assert_allclose([uniform.mean(), uniform.var(), normal.mean(), normal.var()], [0.5, 1 / 12, 0, 1], atol=0.12)
