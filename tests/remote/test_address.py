"""URLs as text: what is one, what of it is secret, what lies above it."""

from __future__ import annotations

import pytest

from rollout_loaders.errors import ReadError
from rollout_loaders.remote import address
from rollout_loaders.remote.path import RemotePath


@pytest.mark.parametrize("text", ["s3://b/k", "gs://b/k", "https://h/x", "http://localhost/x", "HTTPS://h/x"])
def test_urls_are_told_from_paths(text: str) -> None:
    assert address.is_url(text)


@pytest.mark.parametrize("text", ["s3:/b/k", "./s3://b/k", "file:///etc/passwd", "simplecache::s3://b/k", "ftp://h/x"])
def test_nothing_else_is_a_url(text: str) -> None:
    assert not address.is_url(text)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:pw@h.example/a.jsonl", "https://***@h.example/a.jsonl"),
        ("https://token@h.example/a", "https://***@h.example/a"),
        ("https://a@b@h.example/a", "https://***@h.example/a"),
        (
            "https://h/a?X-Amz-Signature=abc&X-Amz-Expires=5&versionId=7",
            "https://h/a?X-Amz-Signature=***&X-Amz-Expires=***&versionId=7",
        ),
        ("https://h/a?sig=a=b", "https://h/a?sig=***"),
        ("https://h/a?bare-token", "https://h/a?***"),
        ("https://h/plain@path/a", "https://h/plain@path/a"),
        ("s3://b/a?b@c", "s3://b/a?b@c"),
        ("dir/a?b=c://d@e", "dir/a?b=c://d@e"),
    ],
)
def test_secrets_are_left_out_and_nothing_else(url: str, shown: str) -> None:
    assert address.redacted(url) == shown


@pytest.mark.parametrize(
    "url", ["http://example.com/a", "http://10.0.0.1/a", "http://127.0.0.1.example.com/a", "http://localhost.example/a"]
)
def test_http_is_for_loopback(url: str) -> None:
    with pytest.raises(ReadError, match="this machine only"):
        address.checked(url)


@pytest.mark.parametrize("url", ["https://", "https:///a", "https://h:x/a", "https://h/a b", "s3:///k", "s3://b b/k"])
def test_what_cannot_be_meant_is_refused(url: str) -> None:
    with pytest.raises(ReadError):
        address.checked(url)


def test_what_was_printed_without_its_secret_cannot_be_used_in_its_place() -> None:
    for url in ("https://***@h/a", "https://h/a?sig=***"):
        with pytest.raises(ReadError, match="left out"):
            address.checked(url)


def test_a_path_of_a_url_keeps_a_key_as_it_is() -> None:
    path = RemotePath("s3://b/run//a/../x.jsonl")
    assert (path.name, path.parent.url, str(path)) == ("x.jsonl", "s3://b/run//a/../", path.url)
    assert path.with_name("y").url == "s3://b/run//a/../y"
    assert [one.url for one in RemotePath("s3://b/run/x").parents] == ["s3://b/run/", "s3://b/"]
    assert (RemotePath("s3://b/run/") / "x").url == "s3://b/run/x"


def test_a_signature_is_not_sent_for_what_lies_beside() -> None:
    assert RemotePath("https://h/d/a.db?sig=abc").with_name("a.db-wal").url == "https://h/d/a.db-wal"


def test_code_that_goes_around_it_finds_nothing_on_this_machine(tmp_path: object) -> None:
    with pytest.raises(OSError, match="remote"):
        open(RemotePath("s3://b/k"), "rb")  # noqa: PTH123, SIM115 - the way around
