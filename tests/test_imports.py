"""The stages import in one direction only, and start-up stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import dagmass

STAGES = [
    "errors",
    "checks",
    "files",
    "job",
    "store",
    "graphs",
    "table",
    "scores",
    "search",
    "exact",
    "chains",
    "posterior",
    "run",
    "show",
    "exchange",
    "cli",
]
ROOT = Path(dagmass.__file__).parent


def test_stages_import_only_what_comes_before() -> None:
    for path in ROOT.rglob("*.py"):
        stage = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if stage == "__init__":
            continue
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dagmass."):
                used = str(node.module).split(".")[1]
                assert STAGES.index(used) <= STAGES.index(stage), f"{path.name} imports {node.module}"


def test_import_is_light() -> None:
    code = "import sys, dagmass; print([name for name in ('pandas', 'narwhals', 'rich', 'click', 'networkx') if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
