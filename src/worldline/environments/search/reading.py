"""From a file of the corpus to a document: its title, its text, the page as Markdown.

Files are foreign text, even if Debian's: they are parsed by libxml2 with no network and no
entities, and whatever does not parse is left out.
"""

import html
import importlib
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from worldline.environments.search import data as files

MAX_BYTES = 3_000_000
MAX_CHARS = 400_000
"""Characters of a page that are kept."""
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_NUMBER = re.compile(r"^(?:(?:Chapter|Appendix|Part)\s+)?[A-Z\d]{1,4}(?:\.\d{1,3}){0,5}\.?\s+")
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""What no page shows and lxml does not take."""
_GAPS = re.compile(r"\n{3,}")
LEAD = 40
"""A paragraph so long introduces a page; what stands before it is a heading or a note."""


class Document(NamedTuple):
    """One page of the corpus.

    Args:
        title: as an engine lists it. `name`: its own heading, without number.
        text: paragraphs, an empty line between them; the first introduces the page.
        page: the same as Markdown. date: ``YYYY-MM-DD`` or empty.
        entry: a dictionary's, which ranks below a page that is about the word.
    """

    url: str
    title: str
    name: str
    text: str
    page: str
    date: str
    source: str
    entry: bool = False


def read(data: bytes, name: str, url: str, date: str, source: str) -> Document | None:
    """The document in a file, by the ending of its name; `None` if it holds none."""
    if len(data) > MAX_BYTES:
        return None
    if name.endswith((".html", ".htm", ".xhtml")):
        try:
            return _read_html(data, url, date, source)
        except RecursionError:  # nested deeper than any page
            return None
    text = _shown(data.decode("utf-8", "replace").replace("\r\n", "\n"))
    if name.endswith(".md"):
        return _read_markdown(text, name, url, date, source)
    if name.endswith(".txt"):
        return _document(url, _stem(name), _stem(name), text, text, date, source)
    return None


def _stem(name: str) -> str:
    return name.rpartition("/")[2].rpartition(".")[0].replace("_", " ")


def _document(
    url: str, title: str, name: str, text: str, page: str, date: str, source: str
) -> Document | None:
    text, page = _GAPS.sub("\n\n", text).strip(), _GAPS.sub("\n\n", page).strip()
    if len(text) < LEAD:
        return None
    title, name = flat(title)[:200] or url, flat(name)[:200]
    return Document(url, title, name or title, text[:MAX_CHARS], page[:MAX_CHARS], date, source)


def flat(text: str) -> str:
    """The text on one line."""
    return " ".join(text.replace("¶", " ").split())


def _shown(text: str) -> str:
    return _CONTROLS.sub("", text.replace("\x0c", " "))


# HTML


def _read_html(data: bytes, url: str, date: str, source: str) -> Document | None:
    tree = _parsed(data)
    if tree is None:
        return None
    title = flat(" ".join(tree.xpath("//head/title//text()")))
    declared = tree.xpath("//meta[@name='date' or @name='dcterms.date']/@content")
    main = _main(tree)
    if main is None:
        return None
    _clean(main, url)
    headings = main.xpath(".//h1|.//h2|.//h3")
    name = flat(headings[0].text_content()) if headings else title
    if declared and re.fullmatch(r"\d{4}-\d\d-\d\d", str(declared[0])[:10]):
        date = str(declared[0])[:10]
    text = "\n\n".join(_from_lead(list(_paragraphs(main))))
    return _document(url, title or name, _NUMBER.sub("", name), text, markdown(main), date, source)


def _parsed(data: bytes) -> Any:
    from lxml import html as parser

    etree = _etree()

    # what is not declared is read as UTF-8, as browsers do with what validates as it
    kind = None if re.search(rb"charset|encoding", data[:2_000]) else "utf-8"
    reader = parser.HTMLParser(encoding=kind, no_network=True, huge_tree=False)
    try:
        return parser.document_fromstring(data, parser=reader)
    except (etree.LxmlError, ValueError):
        return None


def _etree() -> Any:
    return importlib.import_module("lxml.etree")


@cache
def _rules() -> dict[str, frozenset[str]]:
    return {name: frozenset(listed) for name, listed in files.table("html.toml").items()}


def _main(tree: Any) -> Any:
    paths = files.table("html.toml")["main"]
    return next((found[0] for path in paths if (found := tree.xpath(path))), None)


def _clean(main: Any, url: str) -> None:
    """Drop navigation and what is no text; make links absolute."""
    etree, rules = _etree(), _rules()
    etree.strip_elements(main, etree.Comment, etree.ProcessingInstruction, with_tail=False)
    etree.strip_elements(main, *rules["drop_tags"], with_tail=False)
    for one in main.iter():
        if one.text and _CONTROLS.search(one.text):
            one.text = _shown(one.text)
        if one.tail and _CONTROLS.search(one.tail):
            one.tail = _shown(one.tail)
    for one in list(main.iter()):
        if one is not main and one.getparent() is not None and _is_around(one, rules):
            one.drop_tree()
    _flatten(main, inside_pre=False)
    for link in list(main.iter("a")):
        where = _absolute(url, _shown(link.get("href") or ""))
        if where is None:  # as `drop_tag`, which takes time for each sibling
            link.tag = "span"
            link.attrib.clear()
        else:
            link.set("href", where)
            link.attrib.pop("title", None)


def _is_around(one: Any, rules: dict[str, frozenset[str]]) -> bool:
    """Whether an element is navigation, or a mark behind a heading that links to it."""
    classes = set((one.get("class") or "").split())
    if classes & {"headerlink", "permalink"}:
        return one.text_content().strip() in ("", "¶", "#")
    return bool(classes & rules["drop_classes"]) or one.get("id") in rules["drop_ids"]


def _flatten(node: Any, inside_pre: bool) -> None:
    """Runs of blanks and line ends outside of preformatted text become one blank."""
    kept = inside_pre or node.tag == "pre"
    if node.text and not kept:
        node.text = _BLANKS.sub(" ", node.text)
    for child in node:
        _flatten(child, kept)
        if child.tail and not kept:
            child.tail = _BLANKS.sub(" ", child.tail)


def _absolute(base: str, href: str) -> str | None:
    if not href or href.startswith("#"):
        return None
    try:
        where = urljoin(base, href)
        parts = urlsplit(where)
    except ValueError:
        return None
    return where if parts.scheme in ("http", "https") and parts.hostname else None


def _paragraphs(main: Any) -> Iterator[tuple[str, bool]]:
    """Blocks of text in order, each with whether it is a heading."""
    held: list[str] = []
    blocks = _rules()["blocks"]

    def flush(tag: str) -> Iterator[tuple[str, bool]]:
        whole = "".join(held)
        held.clear()
        lines = [line.rstrip() for line in whole.split("\n") if line.strip()]
        text = "\n".join(lines) if tag == "pre" else flat(whole)
        if text.strip():
            yield text, tag in _HEADINGS

    def walk(node: Any, inside: str) -> Iterator[tuple[str, bool]]:
        tag = node.tag if isinstance(node.tag, str) else ""
        block = tag in blocks and inside != "pre"
        if block:
            yield from flush(inside)
        here = tag if block else inside
        held.append(node.text or "")
        for child in node:
            yield from walk(child, here)
            held.append(child.tail or "")
        if tag in ("td", "th", "br"):
            held.append(" ")
        if block:
            yield from flush(here)

    yield from walk(main, "")
    yield from flush("")


def _from_lead(found: list[tuple[str, bool]]) -> list[str]:
    """The paragraphs without headings, from the first that introduces the page."""
    texts = [text for text, heading in found if not heading]
    at = next((i for i, text in enumerate(texts) if len(text) >= LEAD), 0)
    return texts[at:]


def markdown(main: Any) -> str:
    """An element as Markdown."""
    from markdownify import markdownify

    source = _etree().tostring(main, encoding="unicode", method="html")
    made = markdownify(
        source,
        heading_style="ATX",
        bullets="-",
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
    )
    lines = (line.rstrip() for line in made.split("\n"))
    return "\n".join(line for line in lines if line.strip("#") or not line)


# Markdown


def _read_markdown(text: str, name: str, url: str, date: str, source: str) -> Document | None:
    lines = text.split("\n")
    heading = next((line for line in lines if line.startswith("# ")), "")
    title = heading[2:].strip() or _stem(name)
    declared = re.search(r"(?m)^date: (\d{4}-\d\d-\d\d)$", text[:1_000])
    blocks = [block for block in text.split("\n\n") if not block.lstrip().startswith("#")]
    plain = html.unescape("\n\n".join(blocks)).replace("**", "").replace("`", "")
    return _document(url, title, title, plain, text, declared[1] if declared else date, source)
