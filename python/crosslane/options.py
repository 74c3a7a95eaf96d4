"""Options of a launch in TOML, as launch descriptions have them: the library reads nothing else."""
from __future__ import annotations

import os
from typing import Any, Dict

#: Those that are one text with commas.
_LISTS_AS_TEXT = {"check", "profile"}


def _text(value: str) -> str:
    escaped = "".join(
        f"\\u{ord(c):04x}" if ord(c) < 0x20 or ord(c) == 0x7f else "\\" + c if c in '"\\' else c for c in value)
    return f'"{escaped}"'


def _value(key: str, value: Any) -> str:
    if hasattr(value, "item") and getattr(value, "shape", None) == ():  # numpy's numbers
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, os.PathLike)):
        return _text(os.fspath(value))
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(str(k))} = {_value(key, v)}" for k, v in value.items()) + "}"
    if isinstance(value, (set, frozenset)):
        value = sorted(value)
    try:
        items = list(value)
    except TypeError:
        raise TypeError(f"option '{key}': a {type(value).__name__} is neither text, a number nor a list") from None
    if key in _LISTS_AS_TEXT:
        return _text(",".join(map(str, items)))
    return "[" + ", ".join(_value(key, item) for item in items) + "]"


def toml_of(options: Dict[str, Any]) -> str:
    """A line for each; None is as if it were not there."""
    return "".join(f"{key} = {_value(key, value)}\n" for key, value in options.items() if value is not None)
