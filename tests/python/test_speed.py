# SPDX-License-Identifier: MIT
"""A million samples become a DataFrame in two seconds. PERFDATA_SLOW: a library that was not optimised has more."""
import os
import pathlib
import struct
import tempfile
import time
import unittest

import perfdata

try:
    import numpy
    import pandas  # noqa: F401
except ImportError:
    numpy = None

SAMPLES = 1_000_000


def recording_of(samples):
    """Returns a recording with one event and so many samples."""
    ip, tid, when, cpu, period = 1, 2, 4, 1 << 7, 1 << 8
    attr_size = 136
    attr = struct.pack("<IIQQQQQ", 1, attr_size, 0, 1000000, ip | tid | when | cpu | period, 0, 0).ljust(attr_size, b"\0")
    layout = numpy.dtype([("type", "<u4"), ("misc", "<u2"), ("size", "<u2"), ("ip", "<u8"), ("pid", "<u4"),
                          ("tid", "<u4"), ("time", "<u8"), ("cpu", "<u4"), ("res", "<u4"), ("period", "<u8")])
    records = numpy.zeros(samples, layout)
    records["type"], records["misc"], records["size"] = 9, 2, layout.itemsize
    numbers = numpy.arange(samples, dtype="u8")
    records["ip"] = 0x400000 + numbers % 5000 * 16
    records["pid"] = records["tid"] = 1000 + numbers % 7
    records["time"] = 1_000_000_000 + numbers * 1000
    records["cpu"], records["period"] = numbers % 8, 1 + numbers % 3
    header_size, attr_entry = 104, attr_size + 16
    data = header_size + attr_entry
    header = struct.pack("<8sQQQQQQQQ", b"PERFILE2", header_size, attr_entry, header_size, attr_entry, data,
                         records.nbytes, 0, 0).ljust(header_size, b"\0")
    return header + attr + struct.pack("<QQ", 0, 0) + records.tobytes()


@unittest.skipIf(numpy is None, "pandas is not installed")
class Speed(unittest.TestCase):
    def test_a_million_samples(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "perf.data"
            path.write_bytes(recording_of(SAMPLES))
            with perfdata.open(path) as recording:
                begin = time.process_time()
                frame = recording.to_pandas()
                plain = time.process_time() - begin
                with recording.code(offline=True) as code:
                    begin = time.process_time()
                    named = recording.to_pandas(code=code)
                    with_code = time.process_time() - begin
        print(f"{SAMPLES} samples to pandas: {plain:.2f} s, with functions {with_code:.2f} s of CPU time")
        self.assertEqual(len(frame), SAMPLES)
        self.assertEqual(len(named), SAMPLES)
        self.assertEqual(int(frame.period.sum()), sum(1 + number % 3 for number in range(SAMPLES)))
        self.assertEqual(int(frame.time.iloc[-1]), 1_000_000_000 + (SAMPLES - 1) * 1000)
        most = 2 * (5 if os.environ.get("PERFDATA_SLOW") else 1)
        self.assertLess(plain, most)


if __name__ == "__main__":
    unittest.main()
