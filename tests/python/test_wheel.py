# SPDX-License-Identifier: MIT
"""The wheel and the sdist are made without network, are the same each time, and work."""
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

PACKAGE = pathlib.Path(os.environ["PERFDATA_PYTHON"])
SCRIPT = "import perfdata; print(perfdata.__file__); print(perfdata.open({!r}).info.arch)"


def build(package, kind, folder):
    code = f"import backend; print(backend.build_{kind}({str(folder)!r}))"
    done = subprocess.run([sys.executable, "-B", "-c", code], cwd=package, check=True, capture_output=True, text=True)
    return pathlib.Path(folder) / done.stdout.strip()


class Wheel(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self._folder.name)
        self.addCleanup(self._folder.cleanup)

    def check(self, wheel):
        target = self.folder / "installed"
        with zipfile.ZipFile(wheel) as archive:
            self.assertIsNone(archive.testzip())
            names = archive.namelist()
            self.assertIn("perfdata/py.typed", names)
            record = next(name for name in names if name.endswith("/RECORD"))
            listed = [line.split(",")[0] for line in archive.read(record).decode().splitlines()]
            self.assertEqual(sorted(listed), sorted(names))
            archive.extractall(target)
        fixture = os.path.join(os.environ["PERFDATA_FIXTURES"], "bpf/bpf_many.data")
        environment = {"PERFDATA_LIBRARY": os.environ["PERFDATA_LIBRARY"], "PYTHONPATH": str(target)}
        done = subprocess.run([sys.executable, "-c", SCRIPT.format(fixture)], env=environment, check=True,
                              capture_output=True, text=True, cwd=self.folder)
        told = done.stdout.split()
        self.assertTrue(told[0].startswith(str(target)), told)
        self.assertEqual(told[1], "x86_64")

    def test_wheel(self):
        first, second = self.folder / "a", self.folder / "b"
        first.mkdir()
        second.mkdir()
        wheel = build(PACKAGE, "wheel", first)
        self.assertEqual(wheel.read_bytes(), build(PACKAGE, "wheel", second).read_bytes())
        self.check(wheel)

    def test_sdist_makes_the_same_wheel(self):
        sdist = build(PACKAGE, "sdist", self.folder)
        with tarfile.open(sdist) as archive:
            archive.extractall(self.folder / "source")
        (package,) = (self.folder / "source").iterdir()
        out = self.folder / "out"
        out.mkdir()
        wheel = build(package, "wheel", out)
        self.check(wheel)
        self.assertEqual(wheel.read_bytes(), build(PACKAGE, "wheel", self.folder).read_bytes())

    def test_pip(self):
        if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False).returncode:
            self.skipTest("pip is not installed")
        target = self.folder / "by_pip"
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--no-index", "--no-deps",
                   "--no-build-isolation", "--quiet", "--target", str(target), str(PACKAGE)]
        environment = {**os.environ, "PIP_NO_CACHE_DIR": "1", "PIP_ROOT_USER_ACTION": "ignore"}
        subprocess.run(command, check=True, env=environment, capture_output=True)
        self.assertTrue((target / "perfdata/__init__.py").exists())

    def test_a_library_that_is_not_there_is_told(self):
        environment = {"PERFDATA_LIBRARY": "/nowhere/lib.so", "PYTHONPATH": str(PACKAGE)}
        done = subprocess.run([sys.executable, "-B", "-c", "import perfdata"], env=environment, capture_output=True,
                              text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("name its file in PERFDATA_LIBRARY", done.stderr)
        self.assertIn("/nowhere/lib.so", done.stderr)


if __name__ == "__main__":
    unittest.main()
