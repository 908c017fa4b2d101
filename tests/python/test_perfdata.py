# SPDX-License-Identifier: MIT
"""The Python package against fixtures. Environment: PERFDATA_LIBRARY, PERFDATA_FIXTURES."""
import copy
import ctypes
import gc
import gzip
import io
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import threading
import unittest

import perfdata

FIXTURES = pathlib.Path(os.environ["PERFDATA_FIXTURES"])
MANY = FIXTURES / "bpf/bpf_many.data"

try:
    import pandas
except ImportError:
    pandas = None


class Opening(unittest.TestCase):
    def test_path_memory_and_callback_are_the_same(self):
        content = MANY.read_bytes()
        reads = []

        def read_at(offset, count):
            reads.append((offset, count))
            return content[offset:offset + min(count, 10000)]

        for recording in (perfdata.open(MANY), perfdata.open(content), perfdata.open_source(read_at, len(content))):
            with recording:
                self.assertEqual(sum(1 for _ in recording.samples()), 1230)
                self.assertEqual([event.name for event in recording.events], ["cpu-clock", "dummy:HG"])
                info = recording.info
                self.assertEqual((info.arch, info.byte_order, info.interrupted), ("x86_64", "little", False))
                self.assertEqual(recording.problems, [])
        self.assertTrue(reads)

    def test_errors(self):
        with self.assertRaises(perfdata.Error) as caught:
            perfdata.open("/nowhere/at all")
        self.assertEqual(caught.exception.code, "io")
        self.assertEqual(caught.exception.section, "/nowhere/at all")
        self.assertIn("No such file", str(caught.exception))
        with self.assertRaises(perfdata.Error) as caught:
            perfdata.open(b"PERFILE")
        self.assertEqual(caught.exception.code, "not_perf_data")
        with self.assertRaises(ValueError):
            perfdata.open("a\0b")
        with self.assertRaises(ValueError):
            perfdata.open(MANY, limits={"nothing": 1})
        with self.assertRaises(ZeroDivisionError):
            perfdata.open_source(lambda offset, count: 1 / 0, 1000)
        with self.assertRaises(TypeError):
            perfdata.open_source(lambda offset, count: "text", 1000)
        with self.assertRaises(TypeError):
            perfdata.open_source(None, 1000)
        for bad in ({"size": -1}, {"size": 9, "name": "a\0b"}):
            with self.assertRaises(ValueError):
                perfdata.open_source(lambda offset, count: b"", **bad)
        self.assertEqual(perfdata.recording._readers, {})
        with self.assertRaises(perfdata.Error):
            perfdata.open_source(lambda offset, count: b"x" * (count + 1), 1000)
        with self.assertRaises(perfdata.Error) as caught:
            perfdata.open(MANY.read_bytes()).refresh()
        self.assertEqual(caught.exception.code, "unsupported")

    @unittest.skipUnless(os.environ.get("PERFDATA_ARCHIVES", "1") == "1", "built without libarchive")
    def test_bundles_are_opened_like_recordings(self):
        index = json.dumps({"perfdata_bundle": 1, "recording": "perf.data",
                            "members": [{"name": "perf.data"}], "missing": [], "left_out": {},
                            "debug": "none", "sources": False}).encode()
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for name, content in (("perf.data", MANY.read_bytes()), ("bundle.json", index)):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
        bundle = packed.getvalue()

        def read_at(offset, count):
            return bundle[offset:offset + count]

        with tempfile.NamedTemporaryFile(suffix=".bundle") as file:
            file.write(gzip.compress(bundle))
            file.flush()
            for recording in (perfdata.open(file.name), perfdata.open(bundle),
                              perfdata.open_source(read_at, len(bundle))):
                with recording:
                    self.assertEqual(sum(1 for _ in recording.samples()), 1230)
                    self.assertEqual(recording.problems, [])
                    with self.assertRaises(perfdata.Error) as caught:
                        recording.refresh()
                    self.assertEqual(caught.exception.code, "unsupported")

    def test_packed_input_is_watched_and_stopped(self):
        packed = gzip.compress(MANY.read_bytes() + os.urandom(1 << 20))
        with tempfile.NamedTemporaryFile(suffix=".gz") as file:
            file.write(packed)
            file.flush()
            read_at = lambda offset, count: packed[offset:offset + count]
            old = perfdata.open(file.name)
            for way in (lambda **watch: perfdata.open(file.name, **watch), lambda **watch: old.refresh(**watch),
                        lambda **watch: perfdata.open_source(read_at, len(packed), **watch)):
                told = []
                with way(progress=lambda *args: told.append(args)) as recording:
                    self.assertEqual(sum(1 for _ in recording.samples()), 1230)
                self.assertGreaterEqual(len(told), 4)
                self.assertEqual({(stage, whole) for stage, _, whole in told}, {("reading the input", len(packed))})
                self.assertEqual([done for _, done, _ in told], sorted(done for _, done, _ in told))
                with self.assertRaises(perfdata.Cancelled):
                    way(progress=lambda *args: True)
                with self.assertRaises(ZeroDivisionError):
                    way(progress=lambda *args: 1 / 0)
                cancel = perfdata.Cancel()
                cancel.request()
                with self.assertRaises(perfdata.Cancelled):
                    way(cancel=cancel)

    def test_limits(self):
        with perfdata.open(MANY, memory=1 << 26, limits={"diagnostics": 3}) as recording:
            self.assertEqual(sum(1 for _ in recording.samples()), 1230)

    def test_what_is_closed_cannot_be_used(self):
        recording = perfdata.open(MANY)
        samples = recording.samples()
        recording.close()
        recording.close()
        self.assertTrue(recording.closed)
        with self.assertRaises(ValueError):
            recording.info
        self.assertEqual(sum(1 for _ in samples), 1230)  # keeps what it was made of
        with self.assertRaises(ValueError):
            recording.samples()

    def test_handles_are_freed(self):
        released = []

        class Reader:
            content = MANY.read_bytes()

            def read_at(self, offset, count):
                return self.content[offset:offset + count]

            def __del__(self):
                released.append(True)

        reader = Reader()
        recording = perfdata.open_source(reader.read_at, len(Reader.content))
        code = recording.code(offline=True)
        del reader, recording
        gc.collect()
        self.assertEqual(released, [])
        del code
        gc.collect()
        self.assertEqual(released, [True])

    def test_errors_are_pickled_and_handles_are_not(self):
        problem = pickle.loads(pickle.dumps(perfdata.Error("io", "a", "b", 7)))
        self.assertEqual((problem.code, problem.section, problem.text, problem.offset), ("io", "a", "b", 7))
        self.assertIsInstance(pickle.loads(pickle.dumps(perfdata.Cancelled("cancelled", "", "x"))), perfdata.Cancelled)
        with perfdata.open(MANY) as recording:
            for use in (pickle.dumps, copy.copy, copy.deepcopy):
                with self.assertRaises(TypeError):
                    use(recording)

    def test_bytes_of_other_types(self):
        content = MANY.read_bytes()
        for kind in (bytearray, memoryview):
            with perfdata.open(kind(content)) as recording:
                self.assertEqual(recording.info.arch, "x86_64")
        with perfdata.open_source(lambda offset, count: memoryview(content)[offset:offset + count],
                                  len(content)) as recording:
            self.assertEqual(sum(1 for _ in recording.samples()), 1230)

    def test_what_another_thread_closes_is_there_until_it_was_read(self):
        recording = perfdata.open(MANY)
        freed = []

        def use():
            pointer = recording.pointer
            recording.close()
            self.assertTrue(recording.closed)
            status = perfdata._structs.sized(perfdata._structs.RecordingInfo)
            perfdata._calls.call("perfdata_recording_get_info", pointer, ctypes.byref(status))
            self.assertEqual(status.arch, b"x86_64")
            freed.append(pointer.value)

        use()
        with self.assertRaises(perfdata.Error) as caught:
            perfdata._calls.call("perfdata_recording_get_info", ctypes.c_void_p(freed[0]),
                                 ctypes.byref(perfdata._structs.sized(perfdata._structs.RecordingInfo)))
        self.assertEqual(caught.exception.code, "invalid_handle")

    def test_an_interpreter_ends_while_threads_are_in_calls(self):
        script = textwrap.dedent(f"""
            import perfdata, threading, time
            code = perfdata.open({str(MANY)!r}).code(offline=True)
            def work():
                while True:
                    code.annotate(progress=lambda *told: False, jobs=2)
            for _ in range(3):
                threading.Thread(target=work, daemon=True).start()
            time.sleep(0.3)
            """)
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_refresh(self):
        with perfdata.open(MANY) as recording, recording.refresh() as again:
            self.assertEqual(again.info, recording.info)


class Samples(unittest.TestCase):
    def test_order_filter_and_fields(self):
        with perfdata.open(MANY) as recording, recording.code(offline=True) as code:
            samples = list(recording.samples(order="time", code=code))
            self.assertEqual([s.time for s in samples], sorted(s.time for s in samples))
            self.assertTrue(all(s.address is not None and s.function is not None for s in samples))
            of_step = perfdata.Filter(symbols=["bpf_prog_1cad43a02158b200_step"])
            self.assertEqual(sum(1 for _ in recording.samples(filter=of_step, code=code)), 140)
            of_bpf = perfdata.Filter(kinds=["bpf"])
            reader = recording.samples(filter=of_bpf, code=code)
            first = reader.next_sample()
            place = reader.place(first.function)
            self.assertEqual((place.kind, place.why), ("bpf", ""))
            self.assertEqual(1 + sum(1 for _ in reader), 730)
            self.assertEqual(reader.state.read, 730)
            self.assertEqual(reader.state.filtered, 500)
            self.assertIsNone(reader.next_sample())
            with self.assertRaises(perfdata.Error):
                recording.samples(filter=of_bpf)  # needs code
            with self.assertRaises(ValueError):
                recording.samples(filter=perfdata.Filter(kinds=["none"]), code=code)

    def test_numbers_and_words_that_are_none_are_told(self):
        for bad in ({"pids": [1 << 32]}, {"tids": [-1]}, {"times": [(-1, 5)]}, {"kinds": ["none"]}):
            with perfdata.open(MANY) as recording, self.assertRaises(ValueError):
                recording.samples(filter=perfdata.Filter(**bad))
        for name in ("comms", "objects", "symbols", "kinds"):
            with self.assertRaises(TypeError):
                perfdata.Filter(**{name: "swapper"})  # one string is a sequence of strings, too
        with perfdata.open(MANY) as recording, recording.code(offline=True) as code:
            for call in (lambda: code.at(1 << 32, 1, 1), lambda: code.at(1, -1, 1), lambda: code.comm(1 << 32, 1),
                         lambda: code.at(1, 1, 1, "none"), lambda: code.annotate(most=-1),
                         lambda: recording.samples(code=code).place(1 << 32), lambda: recording.samples(order="none"),
                         lambda: perfdata.open(MANY, memory=-1), lambda: perfdata.open(MANY, limits={"places": -1})):
                with self.assertRaises(ValueError):
                    call()
            with self.assertRaises(TypeError):
                recording.code(debug_dirs="/usr/lib/debug")
            with self.assertRaises(perfdata.Error) as caught:
                recording.samples(filter=perfdata.Filter(times=[(6, 5)]))
            self.assertEqual(caught.exception.section, "times")
            pids = perfdata.Filter(pids=(sample.pid for sample in recording.samples() if sample.pid == 0))
            counts = [sum(1 for _ in recording.samples(filter=pids)) for _ in range(2)]
            self.assertEqual(counts[0], counts[1])
            self.assertLess(counts[0], 1230)

    def test_iterating_has_no_chains(self):
        with perfdata.open(FIXTURES / "records/group_chains.data") as recording:
            samples = recording.samples()
            for _ in samples:
                with self.assertRaises(ValueError):
                    samples.chain()
            again = recording.samples()
            self.assertEqual(again.next_sample().chain, len(again.chain()))

    def test_chains(self):
        with perfdata.open(FIXTURES / "records/group_chains.data") as recording:
            samples = recording.samples()
            lengths = []
            while sample := samples.next_sample():
                chain = samples.chain()
                self.assertEqual(len(chain), sample.chain)
                if chain:
                    self.assertEqual(chain[0].address, sample.address)
                lengths.append(len(chain))
            self.assertGreater(max(lengths), 1)

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_pandas(self):
        with perfdata.open(MANY) as recording, recording.code(offline=True) as code:
            frame = recording.to_pandas(code=code, order="time")
            self.assertEqual(len(frame), 1230)
            self.assertEqual(frame.symbol.value_counts()["many_main/step"], 140)
            self.assertTrue(frame.time.is_monotonic_increasing)
            self.assertEqual(list(frame["mode"].unique()), ["kernel"] if frame["mode"].nunique() == 1 else
                             list(frame["mode"].unique()))
            plain = [(s.time, s.address, s.pid) for s in recording.samples(order="time")]
            self.assertEqual(list(zip(frame.time, frame.address, frame.pid)), plain)
            self.assertNotIn("symbol", recording.to_pandas())
            none = recording.to_pandas(filter=perfdata.Filter(pids=[1 << 31]))
            self.assertEqual(len(none), 0)
            rows = code.report(["dso", "symbol"]).to_pandas()
            self.assertEqual(rows["own hits 0"].sum(), 1230)


class Named(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.recording = perfdata.open(MANY)
        cls.code = cls.recording.code(offline=True)

    @classmethod
    def tearDownClass(cls):
        cls.code.close()
        cls.recording.close()

    def test_places_and_lives(self):
        lives = {life.name: life for life in self.code.lives}
        self.assertEqual(len(lives), 9)
        bump = lives["many_main/bump"]
        self.assertEqual((bump.address, bump.program, bump.subprogram), (0xffffffffc038b9e0, 5, 4))
        place = self.code.at(1, bump.address + 0x8d, 5, "kernel")
        self.assertEqual((place.symbol, place.offset), ("bpf_prog_0794138612f6e7ea_bump", 0x8d))
        watched = self.code.at(1, bump.address + 0x8d, 5, "kernel", progress=lambda stage, done, all_: None)
        self.assertEqual(watched, place)
        cancel = perfdata.Cancel()
        cancel.request()
        with self.assertRaises(perfdata.Cancelled):
            self.code.at(1, 4096, 5, cancel=cancel)
        nowhere = self.code.at(1, 4096, 5)
        self.assertEqual(nowhere.symbol, "")
        self.assertNotEqual(nowhere.why, "")
        self.assertEqual(self.code.comm(0, 1), "swapper")

    def test_report(self):
        report = self.code.report(["dso", "symbol"], children=True)
        rows = {row.symbol: row for row in report}
        self.assertEqual(rows["bpf_prog_1cad43a02158b200_step"].own[0].hits, 140)
        self.assertEqual(report.whole[0].hits, 1230)
        self.assertEqual(report[-1], list(report)[-1])
        with self.assertRaises(IndexError):
            report[len(report)]
        with self.assertRaises(perfdata.Cancelled):
            report.json(progress=lambda *args: True)
        told = []
        whole = report.json(progress=lambda *args: told.append(args))
        self.assertEqual(told[-1], ("writing JSON", len(whole.encode()), 0))
        self.assertEqual(json.loads(whole)["schema"], "perfdata.report/1")
        self.assertEqual(report.json(), whole)
        with self.assertRaises(perfdata.Error) as caught:
            self.code.report(["nothing"])
        self.assertEqual(caught.exception.code, "invalid_argument")

    def test_symbol_cache(self):
        cache = perfdata.SymbolCache()
        for name in ("x86_plain.data", "x86_signals.data", "x86_plain.data"):
            reports = []
            for shared in (cache, None):
                with perfdata.open(FIXTURES / "stacks" / name) as recording:
                    code = recording.code(symfs=FIXTURES / "stacks/x86", symbol_cache=shared)
                    reports.append(code.report().json())
            self.assertEqual(*reports)
            self.assertEqual(cache.files, 1)
            self.assertGreater(cache.bytes, 10000)
        cache.clear()
        self.assertEqual((cache.files, cache.bytes), (0, 0))
        with self.assertRaises(ValueError):
            perfdata.SymbolCache(bytes=-1)
        cache.close()
        with perfdata.open(MANY) as recording, self.assertRaises(ValueError):
            recording.code(symbol_cache=cache)

    def test_heat(self):
        heat = self.code.heat()
        own = sum(file.own[0].hits for file in heat.files)
        self.assertEqual(own + sum(cells[0].hits for cells in heat.without_line.values()), heat.totals[0].hits)
        (file,) = heat.find("/somewhere/else/many.bpf.c")
        lines = {line.line: line for line in file.lines}
        self.assertEqual(lines[79].own[0].hits, 22)
        self.assertEqual([function.name for function in lines[79].functions], ["many_main/bump"])
        self.assertEqual(heat.find("none.c"), [])

    def test_annotate(self):
        (bump,) = self.code.annotate("bump")
        self.assertEqual((bump.name, bump.kind, bump.counts[0].hits, bump.on_start), ("many_main/bump", "bpf", 59, 1.0))
        instructions = list(bump.instructions)
        self.assertEqual(sum(one.counts[0].hits for one in instructions), 59)
        self.assertEqual(sum(len(one.bytes) for one in instructions), 155)
        hottest = max(instructions, key=lambda one: one.counts[0].hits)
        self.assertEqual(bump.lines[hottest.line].line, 79)
        self.assertEqual(bump.problems, [])
        names = [listing.name for listing in self.code.annotate(pattern="^(step|parity)$")]
        self.assertEqual(names, ["many_main/step", "many_main/parity"])
        self.assertEqual([listing.name for listing in self.code.annotate(file="many.bpf.c", line=79)],
                         ["many_main/bump"])
        with self.assertRaises(perfdata.Cancelled):
            self.code.annotate(most=2).json(progress=lambda *args: True)
        document = json.loads(self.code.annotate(most=2).json())
        self.assertEqual([function["name"] for function in document["functions"]], ["step", "many_main"])
        with self.assertRaises(perfdata.Error) as caught:
            self.code.annotate("absent")
        self.assertEqual(caught.exception.code, "missing")

    def test_progress_and_cancel(self):
        stages = set()
        self.code.annotate(progress=lambda stage, done, whole: stages.add(stage))
        self.assertIn("listing functions", stages)
        with self.assertRaises(perfdata.Cancelled):
            self.code.annotate(progress=lambda stage, done, whole: True)
        with self.assertRaises(ZeroDivisionError):
            self.code.annotate(progress=lambda stage, done, whole: 1 / 0)
        cancel = perfdata.Cancel()
        self.code.heat(cancel=cancel)
        cancel.request()
        for call in (self.code.heat, self.code.report, self.code.annotate, self.recording.samples,
                     self.recording.code):
            with self.assertRaises(perfdata.Cancelled):
                call(cancel=cancel)

    def test_threads(self):
        wrong = []

        def work():
            for _ in range(5):
                if self.code.heat().totals[0].hits != 1230 or len(self.code.annotate()) != 9:
                    wrong.append(True)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
