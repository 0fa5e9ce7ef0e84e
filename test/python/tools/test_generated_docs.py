"""The generated pages say what the code says."""

from morok.passes.registry import load_passes
from morok.tools.docs import FOLDER, passes_text, stale_pages


def test_pages_are_current():
    assert list(stale_pages()) == [], "run python -m morok.tools.docs"


def test_every_pass_has_its_entry():
    text = passes_text()
    assert not [name for name in load_passes() if f"### {name}\n" not in text]


def test_a_stale_page_is_noticed(tmp_path):
    assert {path.name for path in stale_pages(tmp_path)} == {"passes.md", "reference.md", "api.md"}
    assert (FOLDER / "passes.md").exists()
