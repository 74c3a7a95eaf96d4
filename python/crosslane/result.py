"""What came of a launch: numbers, and documents that are made when they are asked for."""
from __future__ import annotations

import html
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Union, overload

import numpy as np

from . import _native, arrays
from .arrays import Array
from .errors import Fault, UnknownName

if TYPE_CHECKING:
    import pandas  # type: ignore[import]
    from .capture import Dispatch
    from .module import Kernel


class Buffers(Mapping[str, Array]):
    """Arrays of arguments in words ("f32[1000]:iota"), by the names of their parameters. They cannot be written to."""

    def __init__(self, native: _native.Result, names: List[str]) -> None:
        self._native, self._names = native, names

    def __getitem__(self, name: str) -> Array:
        try:
            memory = self._native.contents(name)
        except UnknownName as error:
            raise KeyError(str(error)) from None
        dtype = arrays.dtype_of(memory.element)
        return arrays.view(memory, tuple(memory.shape), np.uint8 if dtype is None else dtype)

    def __iter__(self) -> Iterator[str]:
        for name in self._names:
            try:
                self._native.contents(name)
            except UnknownName:  # a number in words
                continue
            yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<buffers {', '.join(self)}>"


def _rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


class Result:
    """Of a launch. What its options did not ask for is None."""

    def __init__(self, native: _native.Result, kernel: "Union[Kernel, Dispatch]", words: List[str]) -> None:
        self._native = native
        self.kernel = kernel
        self.buffers = Buffers(native, words)

    @cached_property
    def stats(self) -> Dict[str, Any]:
        """instructions (of wavefronts), waves, workgroups, seconds: of the last run; best_seconds; findings."""
        return self._native.stats

    @cached_property
    def fault(self) -> Optional[Fault]:
        fault = self._native.fault
        return None if fault is None else Fault(**fault)

    def document(self, name: str) -> str:
        """As text: "printed", "profile.json", "profile.html", "profile.csv", "profile.txt", "findings.json",
        "findings.sarif", "findings.xml", "findings.txt", "timing.json", "timing.txt", "fidelity.json", "fidelity.txt",
        "counters.json", "counters.txt", "comparisons.txt", "notes.txt". UnknownName: the options did not ask for it."""
        return self._native.document(name)

    def _parsed(self, name: str) -> Any:
        try:
            text = self.document(name)
        except UnknownName:
            return None
        return json.loads(text)

    @property
    def printed(self) -> str:
        """What the kernel printed."""
        return self.document("printed")

    @cached_property
    def profile(self) -> Optional[Dict[str, Any]]:
        """With profile=...: docs/profile-format.md."""
        profile: Optional[Dict[str, Any]] = self._parsed("profile.json")
        return profile

    @cached_property
    def findings(self) -> Optional[List[Dict[str, Any]]]:
        """With check=...: empty if nothing was found, None if nothing was looked for."""
        document = self._parsed("findings.json")
        return None if document is None else list(document["findings"])

    @cached_property
    def timing(self) -> Optional[Dict[str, Any]]:
        """With time=True."""
        timing: Optional[Dict[str, Any]] = self._parsed("timing.json")
        return timing

    @cached_property
    def fidelity(self) -> Any:
        """With fidelity=True."""
        return self._parsed("fidelity.json")

    @cached_property
    def counters(self) -> Any:
        """With counters=FILE, of code that has probes: docs/instrumentation.md."""
        return self._parsed("counters.json")

    @cached_property
    def tables(self) -> Dict[str, List[Dict[str, Any]]]:
        """All that is a list of rows, of profile, findings, timing and counters of probes, by name; those of the
        profile's kernel are "instructions", "lines", "counters", "mix" and "profile_findings"."""
        tables: Dict[str, List[Dict[str, Any]]] = {}
        for kernel in (self.profile or {}).get("kernels", []):
            for key, value in kernel.items():
                if _rows(value):
                    tables["profile_findings" if key == "findings" else key] = value
        if self.findings is not None:
            tables["findings"] = self.findings
        for key, value in (self.timing or {}).items():
            if _rows(value):
                tables["timing" if key == "per_instruction" else key] = value
        for key, value in (self.counters or {}).items():
            if _rows(value):
                tables[key] = value
        return tables

    @overload
    def to_pandas(self) -> "Dict[str, pandas.DataFrame]": ...
    @overload
    def to_pandas(self, table: str) -> "pandas.DataFrame": ...

    def to_pandas(self, table: Optional[str] = None) -> Any:
        """One of the tables as a pandas.DataFrame, nested members as columns "branch.divergences"; or all, by name."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas() needs pandas (Debian: python3-pandas); without, see .tables") from None
        if table is None:
            return {name: pandas.json_normalize(rows) for name, rows in self.tables.items()}
        if table not in self.tables:
            there = ", ".join(self.tables) or "none: no option asked for any"
            raise UnknownName(f"there is no table '{table}'; there are {there}")
        return pandas.json_normalize(self.tables[table])

    def __repr__(self) -> str:
        stats = self.stats
        told = [f"{stats['workgroups']} workgroups", f"{stats['instructions']} wave-instructions",
                f"{stats['seconds'] * 1e3:.3g} ms"]
        if self.findings is not None:
            told.append(f"{stats['findings']} findings")
        if self.fault:
            told.append(self.fault.kind)
        return f"<{self.kernel.name}: {', '.join(told)}>"

    def _repr_html_(self) -> str:
        """In a notebook: the page of a profile, or what there is as a table."""
        try:
            page = self.document("profile.html")
        except UnknownName:
            rows = {"kernel": self.kernel.signature, **self.stats}
            return "<table>" + "".join(f"<tr><th>{html.escape(str(key))}</th><td>{html.escape(str(value))}</td></tr>"
                                       for key, value in rows.items()) + "</table>"
        # Scripts of the page run, and can reach nothing of the notebook.
        return (f'<iframe sandbox="allow-scripts" style="width: 100%; height: 800px; border: 0" '
                f'srcdoc="{html.escape(page, quote=True)}"></iframe>')
