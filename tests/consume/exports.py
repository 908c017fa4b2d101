# SPDX-License-Identifier: MIT
"""exports.py INCLUDE BUILD LIB: what public headers declare and a file of the library defines is offered by the shared
libraries, and what no public header declares is not."""
import pathlib
import re
import subprocess
import sys

include, build, lib = (pathlib.Path(argument) for argument in sys.argv[1:])


def symbols(*command):
    """Returns the functions, tables and objects that nm lists: those of namespace perfdata, demangled."""
    text = subprocess.run(["nm", "-C", "--defined-only", *command], check=True, capture_output=True, text=True).stdout
    found = set()
    for line in text.splitlines():
        parts = line.split(" ", 2)
        if len(parts) == 3 and parts[1] in "TDBRV" and "perfdata::" in parts[2]:
            found.add(parts[2].removesuffix("@@Base"))
    return found


def owner(symbol):
    """Returns the class or function directly in namespace perfdata that a symbol belongs to; None for others."""
    symbol = re.sub(r"\[abi:\w+\]", "", symbol)
    table = re.match(r"(?:vtable|typeinfo|typeinfo name) for (.*)$", symbol)
    if table:  # that of a class in a template or in another class is only reached by pointers
        return table.group(1).removeprefix("perfdata::") if re.fullmatch(r"perfdata::\w+", table.group(1)) else None
    depth, flat = 0, ""
    for character in symbol:
        depth += character == "<"
        if depth == 0:
            flat += character
        depth -= character == ">"
    name = re.search(r"(?:^|\s)perfdata::(\w+)", flat.split("(", 1)[0] if not flat.startswith("perfdata::(") else "")
    return name.group(1) if name else None


# Headers of annotate are the library of that name; a name may mean another function in the other one.
def text_of(annotate):
    return "\n".join(path.read_text() for path in sorted(include.rglob("*.hpp"))
                     if ("annotate" in path.relative_to(include).parts) == annotate)


def names_of(headers):
    """Returns the classes and functions that are marked, and those that are declared."""
    marked = set(re.findall(r"^(?:class|struct) PERFDATA_EXPORT (\w+)", headers, re.M))
    marked |= {re.search(r"(\w+)\($", text).group(1)
               for text in re.findall(r"^PERFDATA_EXPORT [^;{]*?\w+\(", headers, re.M)}
    declared = set(re.findall(r"^(?:class|struct) (?:PERFDATA_EXPORT )?(\w+)[^;\n]*\{", headers, re.M))
    declared |= set(re.findall(r"^(?!class|struct|template|inline|constexpr|friend)(?=\w)[\w:<>,&* ]*?\b(\w+)\([^;{]*\);",
                               headers, re.M))
    return marked, declared


exceptions, _ = names_of((include / "perfdata/core/reentered.hpp").read_text())
bad = 0
total = 0
for name, archive in (("perfdata", "libperfdata/libperfdata.a"), ("perfdata_annotate", "annotate/libperfdata_annotate.a")):
    marked, declared = names_of(text_of("annotate" in name))
    inside = symbols(str(build / archive))
    offered = symbols("-D", str(lib / f"lib{name}.so"))
    total += len(offered)
    for symbol in sorted(inside - offered):
        if owner(symbol) in declared:
            print(f"lib{name}.so hides what a header declares: {symbol}")
            bad += 1
    for symbol in sorted(offered):
        # Both libraries have the type of an exception that both throw or catch: it is one for the program.
        known = marked | exceptions if symbol.startswith("typeinfo") else marked
        if owner(symbol) is not None and owner(symbol) not in known:
            print(f"lib{name}.so offers what no header marks: {symbol}")
            bad += 1
    others = subprocess.run(["nm", "-D", "--defined-only", str(lib / f"lib{name}.so")], check=True, capture_output=True, text=True).stdout
    for line in others.splitlines():
        symbol = line.split(" ", 2)[2]
        if not symbol.startswith("_Z"):
            print(f"lib{name}.so offers {symbol} of another library")
            bad += 1
if total < 300:
    print(f"only {total} symbols are offered: nm or its output changed")
    bad += 1
print(f"{total} symbols are offered, {bad} problems")
sys.exit(bad != 0)
