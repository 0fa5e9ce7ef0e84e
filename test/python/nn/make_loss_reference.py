"""Writes loss_reference.json, the values that PyTorch gives for cases_losses.py: python test/python/nn/make_loss_reference.py, where PyTorch is."""

import json
from pathlib import Path

import torch
from cases_losses import arrays, cases, weights_for

found: dict[str, dict] = {"version": torch.__version__}
for name, function, names, options in cases():
    given = {n: torch.tensor(arrays()[n], requires_grad=not n.startswith("i ")) for n in names}
    inputs = list(given.values())
    if function == "ctc_loss":
        inputs[0] = inputs[0].log_softmax(-1)
    options = {k: torch.tensor(v, dtype=torch.float64) if "weight" in k else torch.tensor(v) if "lengths" in k else v for k, v in options.items()}
    loss = getattr(torch.nn.functional, function)(*inputs, **options)
    variables = [t for t in given.values() if t.requires_grad]
    gradients = torch.autograd.grad((loss * torch.tensor(weights_for(loss.shape))).sum(), variables, allow_unused=True)
    found[name] = {"loss": loss.tolist(), "gradients": [None if g is None else g.flatten().tolist() for g in gradients]}
rounded = json.loads(json.dumps(found), parse_float=lambda text: float(f"{float(text):.12g}"))
Path(__file__).with_name("loss_reference.json").write_text(json.dumps(rounded, separators=(",", ":")).replace('},"', '},\n"') + "\n")
