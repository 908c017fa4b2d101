# SPDX-License-Identifier: MIT
"""The structs of the package are those of the header: a program in C tells where each member lies."""
import ctypes
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from perfdata import _structs

INCLUDE = os.environ["PERFDATA_INCLUDE"]
COMPILER = os.environ.get("CC", "cc")


def c_name(name):
    return "perfdata_" + re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Layout(unittest.TestCase):
    def test_structs(self):
        structs = [kind for kind in vars(_structs).values() if isinstance(kind, type)
                   and issubclass(kind, ctypes.Structure) and kind is not ctypes.Structure]
        lines = ['#include <perfdata/perfdata.h>', '#include <stdio.h>', 'int main(void) {']
        expected = []
        for kind in structs:
            name = c_name(kind.__name__)
            lines.append(f'printf("%zu\\n", sizeof({name}));')
            expected.append((name, ctypes.sizeof(kind)))
            for field, *_ in kind._fields_:
                lines.append(f'printf("%zu\\n", offsetof({name}, {field}));')
                expected.append((f"{name}.{field}", getattr(kind, field).offset))
        lines.append('return 0; }')
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "layout.c"
            source.write_text("\n".join(lines), encoding="utf-8")
            program = pathlib.Path(folder) / "layout"
            subprocess.run([COMPILER, "-std=c99", f"-I{INCLUDE}", str(source), "-o", str(program)], check=True)
            told = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.split()
        self.assertEqual([(name, int(said)) for (name, _), said in zip(expected, told)], expected)
        self.assertGreater(len(structs), 25)

    def test_no_struct_of_the_header_is_missing(self):
        header = "".join(path.read_text() for path in (pathlib.Path(INCLUDE) / "perfdata/c").glob("*.h"))
        declared = set(re.findall(r"^typedef struct (perfdata_\w+) \{", header, re.M))
        known = {c_name(name) for name, kind in vars(_structs).items() if isinstance(kind, type)
                 and issubclass(kind, ctypes.Structure)}
        self.assertEqual(declared - known, set())

    def test_members_are_all_there(self):
        header = "".join(path.read_text() for path in (pathlib.Path(INCLUDE) / "perfdata/c").glob("*.h"))
        header = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
        for name, body in re.findall(r"^typedef struct (perfdata_\w+) \{(.*?)^\}", header, re.M | re.S):
            members = [re.search(r"\w+$", re.sub(r"\[\d+\]|\(\*|\)\(.*\)", "", part).strip()).group()
                       for line in body.split(";") if line.strip() for part in line.split(",")]
            kind = next(kind for other, kind in vars(_structs).items() if isinstance(kind, type)
                        and issubclass(kind, ctypes.Structure) and c_name(other) == name)
            self.assertEqual([field for field, *_ in kind._fields_], members, name)


if __name__ == "__main__":
    unittest.main()
