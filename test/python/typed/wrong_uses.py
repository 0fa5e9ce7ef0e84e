# ruff: noqa: B018, E702
"""Wrong uses: test_types.py expects each error at its line, and no other."""
import morok
from morok import Generator, Tensor, nn, optim

x = Tensor([[1.0, 2.0], [3.0, 4.0]])
layer = nn.Linear(2, 2)
a: int = x.sum()  # [assignment]
x.summ()  # [attr-defined]
nn.Linear("2", 2)  # [arg-type]
nn.Dropout(probability=0.1)  # [call-arg]
layer([1.0, 2.0])  # [arg-type]
layer(x, x)  # [call-arg]
layer.weigth  # [attr-defined]
optim.AdamW(layer)  # [arg-type]
optim.SGD(layer.parameters(), lr="fast")  # [arg-type]
optim.SGD(layer.parameters(), lr=0.1).stepp()  # [attr-defined]
Generator(seed=1.5)  # [arg-type]
morok.manual_seed("x")  # [arg-type]
morok.random.uniform(3, generator=7)  # [arg-type]
morok.random.normal(3, sigma=2.0)  # [call-arg]
x + "1"  # [operator]
x @ None  # [operator]
x.sum(axis="rows")  # [arg-type]
x.sum(dim="rows")  # [arg-type]
x.sum(dims=0)  # [call-arg]
x.std(keepdims="yes")  # [arg-type]
morok.cumsum(x, dim="rows")  # [arg-type]
x.reshape("2")  # [arg-type]
x.cast(3)  # [arg-type]
x.to(device=3)  # [arg-type]
morok.save(x)  # [call-arg]
morok.jit(lambda t: t, beams=3)  # [call-overload]
morok.softmaks(x)  # [attr-defined]


@morok.jit
def doubled(t: Tensor) -> Tensor:
    return t * 2


doubled(x, x)  # [call-arg]
doubled("x")  # [arg-type]
b: float = doubled(x)  # [assignment]
Tensor(x, dtype=3)  # [arg-type]
Tensor.zeros("3")  # [arg-type]
x.visualize(limit="all")  # [arg-type]
