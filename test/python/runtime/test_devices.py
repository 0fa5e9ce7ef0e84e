"""devices.py: names."""

import pytest

from morok.errors import DeviceError
from morok.runtime.devices import canonical_name, device


@pytest.mark.parametrize("given, name", [("CPU", "CPU"), ("cpu", "CPU"), ("Cpu:0", "CPU"), ("cpu:1", "CPU:1"), (" CPU:7 ", "CPU:7")])
def test_names_in_any_case(given, name):
    assert canonical_name(given) == name and device(given) is device(name)


@pytest.mark.parametrize("given", ["cpux", "CPU:8", "CPU:-1", "", "GPU", None, 3])
def test_unknown_names_list_the_known(given):
    with pytest.raises(DeviceError, match="unknown device .*; there are CPU, CPU:1, CPU:2.*CPU:7"):
        device(given)
    assert issubclass(DeviceError, ValueError)
