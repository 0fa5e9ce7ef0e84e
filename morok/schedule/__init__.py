"""From kernel form to something that can be run in order: schedule items, parallel groups, the memory planner, estimates of work."""
from .groups import parallel_groups
from .items import Schedule, ScheduleItem, create_schedule
from .memory_planner import MemoryPlan, plan_memory

__all__ = ["MemoryPlan", "Schedule", "ScheduleItem", "create_schedule", "parallel_groups", "plan_memory"]
