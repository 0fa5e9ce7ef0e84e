"""Devices, buffers, compilation, execution plans.

    realize_uops([x])           plan = prepare_uops([x]); plan.execute()           buffer_of(x).numpy()
"""
from .buffer import Buffer
from .config import Config, configured, current_config
from .devices import canonical_name, device_names
from .plan import ExecutionPlan, PlanOutput
from .realize import buffer_of, new_buffer_from_numpy, prepare_uops, realize_uops

__all__ = ["Buffer", "Config", "ExecutionPlan", "PlanOutput", "buffer_of", "canonical_name", "configured", "current_config", "device_names",
           "new_buffer_from_numpy", "prepare_uops", "realize_uops"]
