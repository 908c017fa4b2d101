# SPDX-License-Identifier: MIT
"""Builds the wheel and the sdist with the standard library alone (PEP 517): nothing has to be installed, and nothing
is asked of the network. The same files give the same bytes."""
from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
NAME = "perfdata"
SUMMARY = "Decodes perf.data recordings, and annotates code with samples"
TIME = int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))  # 1980: zip knows no earlier time


def _version() -> str:
    """Returns the version of the headers; in an sdist, the one that it was made with."""
    kept = HERE / "PKG-INFO"
    if kept.exists():
        found = re.search(r"^Version: (.*)$", kept.read_text(encoding="utf-8"), re.M)
    else:
        header = HERE.parents[1] / "include/perfdata/version.hpp"
        found = re.search(r'header_version = "(.*)"', header.read_text(encoding="utf-8"))
    assert found, "no version"
    return found.group(1)


def _metadata() -> str:
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {_version()}\nSummary: {SUMMARY}\nLicense: MIT\n"
            "Requires-Python: >=3.9\nProvides-Extra: pandas\nRequires-Dist: pandas; extra == 'pandas'\n")


def _package() -> list[pathlib.Path]:
    files = [path for path in (HERE / NAME).rglob("*") if path.suffix == ".py" or path.name == "py.typed"]
    return sorted(path.relative_to(HERE) for path in files)


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    info = f"{NAME}-{_version()}.dist-info"
    name = f"{NAME}-{_version()}-py3-none-any.whl"
    files = [(str(path), (HERE / path).read_bytes()) for path in _package()]
    files.append((f"{info}/METADATA", _metadata().encode()))
    files.append((f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: perfdata\nRoot-Is-Purelib: true\n"
                                   b"Tag: py3-none-any\n"))
    record = ""
    for path, content in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    files.append((f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode()))
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files:
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return name


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    root = f"{NAME}-{_version()}"
    files = [(str(path), (HERE / path).read_bytes()) for path in _package()]
    files += [(name, (HERE / name).read_bytes()) for name in ("backend.py", "pyproject.toml")]
    files.append(("PKG-INFO", _metadata().encode()))
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, content in sorted(files):
            entry = tarfile.TarInfo(f"{root}/{path}")
            entry.size, entry.mode, entry.mtime = len(content), 0o644, TIME
            archive.addfile(entry, io.BytesIO(content))
    with open(pathlib.Path(sdist_directory) / f"{root}.tar.gz", "wb") as file:
        file.write(gzip.compress(packed.getvalue(), mtime=TIME))
    return f"{root}.tar.gz"


def get_requires_for_build_wheel(config_settings: object = None) -> list[str]:
    return []


def get_requires_for_build_sdist(config_settings: object = None) -> list[str]:
    return []
