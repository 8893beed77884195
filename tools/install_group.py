"""Install one of the dependency groups of pyproject.toml (older versions of pip do not know them)."""

import subprocess
import sys
import tomllib
from pathlib import Path

groups = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["dependency-groups"]
command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *groups[sys.argv[1]]]
sys.exit(subprocess.call(command))
