"""What the scripts that write pages of the book share."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def program():
    """The program: the one that CUPULE names, or built anew."""
    if "CUPULE" in os.environ:
        return os.environ["CUPULE"]
    subprocess.run(["cargo", "build", "--release", "-p", "cupule-cli"], cwd=ROOT, check=True)
    return str(pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/cupule")


def table(titles, rows):
    """Lines of a table, and an empty one."""
    return [f"| {' | '.join(row)} |" for row in [titles, ["---"] * len(titles), *rows]] + [""]
