"""Hostile and odd JSON: what is read exactly, what is said about it, and the ASCII-safe way out (CONTRACT 3)."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollout_loaders.jsondecode import BadJson, decode, encode, has_long_integer
from rollout_loaders.jsonnesting import MAX_DEPTH
from rollout_loaders.model import JsonValue


def codes(raw: bytes) -> list[str]:
    return [code for code, _ in decode(raw).problems]


def test_plain_json_has_no_problems() -> None:
    assert decode(b'{"a": [1, 2.5, null, true, "x"]}').value == {"a": [1, 2.5, None, True, "x"]}
    assert decode(b'{"a": 1}').problems == ()


def test_a_byte_order_mark_is_said_and_skipped() -> None:
    decoded = decode(b'\xef\xbb\xbf{"a":1}')
    assert decoded.value == {"a": 1}
    assert [code for code, _ in decoded.problems] == ["bom"]


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity"])
def test_a_non_finite_number_is_kept_and_its_literal_is_said(literal: str) -> None:
    decoded = decode(f'{{"reward": {literal}}}'.encode())
    value = cast(Mapping[str, float], decoded.value)["reward"]
    assert not math.isfinite(value)
    assert decoded.problems[0][0] == "non-finite-number"
    assert literal in decoded.problems[0][1]


def test_a_number_beyond_a_double_is_non_finite_and_its_literal_is_said() -> None:
    assert decode(b"[1e999]").problems == (("non-finite-number", "1e999 is beyond a double"),)


@pytest.mark.parametrize(
    "literal", ["123456789012345678901", "-9999999999999999999", "18446744073709551616", "1" + "0" * 400]
)
def test_a_big_integer_stays_exact(literal: str) -> None:
    decoded = decode(f"[{literal}]".encode())
    assert decoded.value == [int(literal)]
    assert [code for code, _ in decoded.problems] == ["big-integer"]


@pytest.mark.parametrize("literal", ["18446744073709551615", "-9223372036854775808", "1234567890123456789"])
def test_what_fits_64_bits_is_no_problem(literal: str) -> None:
    assert decode(f"[{literal}]".encode()).value == [int(literal)]
    assert codes(f"[{literal}]".encode()) == []


def test_a_long_integer_is_found_wherever_it_stands() -> None:
    for before in range(12):
        assert has_long_integer(b" " * before + b"1234567890123456789")
        assert not has_long_integer(b" " * before + b"123456789012345678")


def test_long_fractions_and_ids_are_no_long_integers() -> None:
    assert not has_long_integer(b'{"p": -0.00012345678901234567890, "id": "x12345678901234567890"}')
    assert has_long_integer(b'{"n":12345678901234567890}')


def test_an_integer_of_absurd_length_is_kept_as_text() -> None:
    literal = "7" * 5000
    decoded = decode(f"[{literal}]".encode())
    assert decoded.value == [literal]
    assert [code for code, _ in decoded.problems] == ["big-integer"]


def test_a_lone_surrogate_is_kept() -> None:
    decoded = decode(b'["a\\ud800b"]')
    assert decoded.value == ["a\ud800b"]
    assert [code for code, _ in decoded.problems] == ["lone-surrogate"]
    assert "U+D800" in decoded.problems[0][1]


def test_a_surrogate_pair_is_one_character() -> None:
    assert decode(b'["\\ud83d\\ude00", NaN]').problems[0][0] == "non-finite-number"
    assert codes(b'["\\ud83d\\ude00", NaN]') == ["non-finite-number"]


def test_bytes_that_are_no_utf8_cost_no_record() -> None:
    decoded = decode(b'["a\xffb"]')
    assert decoded.value == ["a\udcffb"]
    assert "invalid-utf8" in [code for code, _ in decoded.problems]


def test_a_surrogate_written_as_utf8_is_kept() -> None:
    assert decode(b'["\xed\xa0\x80"]').value == ["\ud800"]
    assert codes(b'["\xed\xa0\x80"]') == ["lone-surrogate"]


def test_a_raw_control_character_is_kept() -> None:
    assert decode(b'["a\x01b"]').value == ["a\x01b"]
    assert codes(b'["a\x01b"]') == ["control-character"]


def depth_of(value: JsonValue) -> int:
    depth = 0
    while isinstance(value, Sequence) and not isinstance(value, str) and value:
        value, depth = value[0], depth + 1
    return depth


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 1000, 1025, 100_000])
def test_deep_nesting_is_folded_into_its_text(depth: int) -> None:
    raw = b"[" * depth + b'"a\\"]b"' + b"]" * depth
    decoded = decode(raw)
    assert [code for code, _ in decoded.problems] == ["deep-nesting"]
    assert depth_of(decoded.value) == MAX_DEPTH
    inner = decoded.value
    while isinstance(inner, list):
        inner = inner[0]
    assert inner == raw[MAX_DEPTH : len(raw) - MAX_DEPTH].decode()
    assert json.loads(encode(decoded.value)) == decoded.value


def test_nesting_at_the_bound_is_not_touched() -> None:
    raw = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    assert codes(raw) == []


def test_many_brackets_in_a_flat_value_or_in_strings_are_not_deep() -> None:
    assert codes(json.dumps([[index] for index in range(5000)]).encode()) == []
    assert codes(json.dumps(["[" * 5000, "{" * 5000]).encode()) == []


def test_unclosed_deep_nesting_is_bad_json() -> None:
    with pytest.raises(BadJson):
        decode(b"[" * 100_000)


@pytest.mark.parametrize(
    ("raw", "offset"), [(b"<PLACEHOLDER ROW>", 0), (b'{"a": 1', 7), (b'{"a": 1} x', 9), ('["é" x]'.encode(), 6)]
)
def test_what_is_no_json_says_where(raw: bytes, offset: int) -> None:
    with pytest.raises(BadJson) as caught:
        decode(raw)
    assert caught.value.offset == offset


def test_encode_escapes_all_but_printable_ascii() -> None:
    text = "é\u2028\u2029\x7f\x85\u202e\ud800😀\x1b"
    expected = b'["\\u00e9\\u2028\\u2029\\u007f\\u0085\\u202e\\ud800\\ud83d\\ude00\\u001b"]'
    assert encode([text]) == expected
    assert encode([text.replace("\ud800", "")]) == expected.replace(b"\\ud800", b"")


def test_encode_writes_null_for_what_is_not_finite() -> None:
    assert encode([math.nan, math.inf, -math.inf, 2**70, math.nan]) == b"[null,null,null,1180591620717411303424,null]"
    assert encode([math.nan]) == b"[null]"


def test_encode_takes_any_mapping_and_tuples() -> None:
    assert encode(MappingProxyType({"a": (1, MappingProxyType({"b": "\ud800"}))})) == b'{"a":[1,{"b":"\\ud800"}]}'


def test_encode_refuses_what_has_no_json_form() -> None:
    with pytest.raises(TypeError):
        encode({"a": object()})


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(_JSON)
def test_out_and_in_again_is_the_same_value(value: JsonValue) -> None:
    raw = encode(value)
    assert raw.isascii()
    assert b"\x7f" not in raw
    assert decode(raw).value == value


@given(st.binary(max_size=60))
def test_no_bytes_escape_as_another_error(raw: bytes) -> None:
    try:
        decode(raw)
    except BadJson as bad:
        assert 0 <= bad.offset <= len(raw) + 3


def test_a_torn_string_full_of_quotes_takes_no_time() -> None:
    torn = b'{"a": ' + b"[" * 300 + b"]" * 300 + b', "b": "' + b'\\"{[, ' * 40_000
    started = time.perf_counter()
    with pytest.raises(BadJson):
        decode(torn)
    assert time.perf_counter() - started < 1


def test_every_non_finite_literal_is_given_once_and_a_page_of_them_is_cut() -> None:
    """CONTRACT 3: null, with a diagnostic that gives its literal."""
    said = [message for _, message in decode(b"[NaN, Infinity, NaN, 1e999]").problems]
    assert said == ["NaN is no JSON number", "Infinity is no JSON number", "1e999 is beyond a double"]
    many = decode(b"[" + b",".join(b"1e%d" % power for power in range(400, 500)) + b"]").problems
    assert len(many) == 10
    assert many[-1] == ("non-finite-number", "and more of this kind")
