"""config.py: options from the environment, and how many CPUs there are to use."""

import os
import threading

import pytest

from morok.errors import OptionError
from morok.runtime.config import Config, available_cpus, cgroup_cpus, configured, current_config


def test_defaults():
    config = Config.from_environment({})
    assert config == Config(num_threads=available_cpus())


def test_values_from_the_environment():
    given = {"NUM_THREADS": "1", "OPT": "0", "CHECK": "1", "DEBUG": "2", "BLOCKTIME": "0"}
    assert Config.from_environment({f"MOROK_{name}": value for name, value in given.items()}) == Config(1, 0, True, 2, 0)


def test_more_threads_than_cpus_are_not_started():
    assert Config.from_environment({"MOROK_NUM_THREADS": "1000"}).num_threads == available_cpus()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinity masks")
def test_a_cpu_that_this_process_may_not_use_is_not_counted():
    mask = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(mask)})
    try:
        assert available_cpus() == 1 and Config.from_environment({"MOROK_NUM_THREADS": "2"}).num_threads == 1
    finally:
        os.sched_setaffinity(0, mask)


@pytest.mark.parametrize("name, value, allowed", [
    ("MOROK_NUM_THREADS", "0", "of at least 1"), ("MOROK_NUM_THREADS", "two", "of at least 1"),
    ("MOROK_NUM_THREADS", "\u00b2", "of at least 1"), ("MOROK_NUM_THREADS", "9" * 5000, "of at least 1"), ("MOROK_OPT", "9", "from 0 to 1"),
    ("MOROK_CHECK", "-1", "from 0 to 1")])
def test_wrong_values(name, value, allowed):
    with pytest.raises(OptionError, match=f"{name} is '{value}'; it takes a whole number {allowed}"):
        Config.from_environment({name: value})


def test_nested_contexts_restore():
    outer = current_config()
    with configured(num_threads=3):
        with configured(opt_level=0) as inner:
            assert (inner.num_threads, inner.opt_level) == (3, 0)
        assert current_config().num_threads == 3 and current_config().opt_level == outer.opt_level
        seen = []
        thread = threading.Thread(target=lambda: seen.append(current_config().num_threads))
        thread.start()
        thread.join()
        assert seen == [outer.num_threads]
    assert current_config() == outer
    with pytest.raises(OptionError), configured(num_threads=0):
        pass


def test_configs_are_keys():
    assert len({Config(2), Config(2), Config(2, opt_level=0), Config(1)}) == 3


@pytest.mark.parametrize("files, membership, cpus", [
    ({"cpu.max": "150000 100000\n"}, "0::/\n", 1.5),
    ({"cpu.max": "max 100000\n"}, "0::/\n", None),
    ({"a/b/cpu.max": "400000 100000", "a/cpu.max": "200000 100000"}, "0::/a/b\n", 2.0),
    ({"cpu/cpu.cfs_quota_us": "50000", "cpu/cpu.cfs_period_us": "100000"}, "3:cpu,cpuacct:/\n", 0.5),
    ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, "3:cpu:/\n", None),
    ({}, "", None),
])
def test_control_group_quotas(tmp_path, files, membership, cpus):
    for name, text in files.items():
        path = tmp_path / "cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "self").write_text(membership)
    assert cgroup_cpus(tmp_path / "cgroup", tmp_path / "self") == cpus
