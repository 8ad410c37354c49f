"""URLs as text: which are taken, what of them is secret, what lies below and above them. Nothing here asks a server."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from rollout_loaders.errors import ReadError

SECRET = "***"
"""Stands where a secret was left out."""
_URL = re.compile(r"(?i:s3|gs|https?)://")
_HARMLESS = frozenset({"versionid", "generation", "download", "raw"})
"""Parameters of a query whose value is no secret; of all others only the name is shown."""


def is_url(text: str) -> bool:
    """Whether a PATH names something on a server. A local path of that spelling is reached as `./s3://…`."""
    return _URL.match(text) is not None


def scheme_of(url: str) -> str:
    """`s3`, `gs`, `https` or `http`."""
    return url.partition(":")[0].lower()


def has_folders(url: str) -> bool:
    """Whether what lies below a URL can be listed; the web has no such thing."""
    return scheme_of(url) in ("s3", "gs")


def bucket_and_key(url: str) -> tuple[str, str]:
    """Of `s3://` and `gs://`; the key as it is, for stores take `a//b` and `a/../b` for names of their own."""
    bucket, _, key = url.partition("://")[2].partition("/")
    return bucket, key


def redacted(url: str) -> str:
    """A PATH as it may be printed: a URL without user and password, and without the values of its query."""
    scheme, _, rest = url.partition("://")
    if not is_url(url) or has_folders(url):
        return url
    body, question, query = rest.partition("?")
    host, slash, path = body.partition("/")
    if "@" in host:
        host = f"{SECRET}@{host.rpartition('@')[2]}"
    shown = [_shown_parameter(one) for one in query.split("&")] if query else []
    return f"{scheme}://{host}{slash}{path}{question}{'&'.join(shown)}"


def _shown_parameter(parameter: str) -> str:
    name, equals, value = parameter.partition("=")
    if not equals:
        return SECRET if name else ""
    return parameter if name.lower() in _HARMLESS or not value else f"{name}={SECRET}"


def checked(url: str) -> None:
    """Raises `ReadError` for a URL that cannot be meant, or that would send what it reads in the clear."""
    shown = redacted(url)
    if has_folders(url):
        bucket, _ = bucket_and_key(url)
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._:-]*", bucket):
            raise ReadError(shown, "names no bucket", f"write {scheme_of(url)}://BUCKET/KEY")
        return
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ReadError(shown, "is no URL", "check the spelling") from error
    if not host or re.search(r"[\x00-\x20\x7f]", url):
        raise ReadError(shown, "is no URL", "check the spelling; a blank is written %20")
    if SECRET in (parts.username, *(one.partition("=")[2] for one in parts.query.split("&"))):
        raise ReadError(shown, f"its secret was left out where this was printed ({SECRET})", "give the whole URL")
    if scheme_of(url) == "http" and not is_loopback(host):
        raise ReadError(shown, "http:// is taken for this machine only (loopback)", "use https://")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its very name: no name server is asked."""
    import ipaddress  # late: most command lines name no URL

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def may_be_led_to(url: str) -> bool:
    """Whether a URL that an index names, and not the user, may be asked for: not this machine's own servers."""
    return has_folders(url) or (scheme_of(url) == "https" and not is_loopback(urlsplit(url).hostname or ""))


def parent(url: str) -> str:
    """The folder above, with its `/`; a bucket or host is its own. A query belongs to its object and falls away."""
    scheme, _, rest = url.partition("://")
    if not has_folders(url):
        rest = rest.partition("?")[0]
    above = rest.rstrip("/").rpartition("/")[0]
    return f"{scheme}://{above or rest.rstrip('/')}/"


def below(url: str, name: str) -> str:
    """What is called `name` in this folder."""
    return f"{url.rstrip('/')}/{name}"


def name_of(url: str) -> str:
    """The last component, without the `/` of a folder and without a query."""
    rest = url.partition("://")[2]
    if not has_folders(url):
        rest = rest.partition("?")[0]
    return rest.rstrip("/").rpartition("/")[2]
