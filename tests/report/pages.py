"""Read an HTML report strictly, and texts that try to break out of one."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

#: Texts that would do harm where they are not escaped; each sets ``window.ran`` or hides what is there.
HOSTILE = {
    "script": "<script>window.ran=1</script>",
    "image": '<img src=x onerror="window.ran=1">',
    "template": "</template></article></main><script>window.ran=1</script>",
    "quotes": "\"><svg onload=window.ran=1>' onmouseover='window.ran=1' x=\"",
    "link": "javascript:window.ran=1",
    "style": "</style><style>*{display:none}</style></title>",
    "bidi": "\u202e\u2066txet sdrawkcab\u200b\u061c",
    "entities": "<!-- --!> <![CDATA[ ]]> &lt;b&gt; &#60; &amp;",
    "jinja": "{{ 7*7 }} {% for x in y %} {# #} {{ data }}",
    "control": "a\x00b\x1b[2Jc\x85d",
}
_VOID = {"meta", "input", "img", "br", "link"}


@dataclass
class Element:
    """An element with its attributes and what is in it."""

    tag: str
    attributes: dict[str, str]
    parent: Element | None = None
    children: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All its text."""
        return "".join(one if isinstance(one, str) else one.text for one in self.children)

    def all(self, tag: str = "", **attributes: str) -> list[Element]:
        """Everything in it of a tag and with these attributes (``class_`` among the classes)."""
        found: list[Element] = []
        for one in self.children:
            if isinstance(one, str):
                continue
            classes = one.attributes.get("class", "").split()
            wanted = {name: value for name, value in attributes.items() if name != "class_"}
            if (
                (not tag or one.tag == tag)
                and all(one.attributes.get(name) == value for name, value in wanted.items())
                and ("class_" not in attributes or attributes["class_"] in classes)
            ):
                found.append(one)
            found += one.all(tag, **attributes)
        return found

    def inside(self, *tags: str) -> bool:
        """Whether it stands in an element of one of these tags."""
        return self.parent is not None and (self.parent.tag in tags or self.parent.inside(*tags))


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("root", {})
        self._open = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), (tag, names)
        one = Element(tag, {name: value or "" for name, value in attrs}, self._open)
        self._open.children.append(one)
        if tag not in _VOID:
            self._open = one

    def handle_endtag(self, tag: str) -> None:
        assert tag == self._open.tag, f"</{tag}> closes <{self._open.tag}>"
        assert self._open.parent is not None
        self._open = self._open.parent

    def handle_data(self, data: str) -> None:
        self._open.children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data!r}")


def read_page(html: str) -> Element:
    """Parse a report; an element that is not closed where it should be is an error."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert reader._open is reader.root, f"<{reader._open.tag}> is never closed"
    return reader.root


def check_page(html: str) -> Element:
    """See that a report is sound: policy, ids, links, nothing that runs or loads; return it parsed."""
    page = read_page(html)
    for block in page.all("script", type="text/html"):
        # Pages that are made elements when they are opened.
        assert "<!--" not in block.text
        inner = read_page(block.text)
        inner.parent, block.children = block, [inner]
    (style,) = page.all("style")
    (script,) = [one for one in page.all("script") if one.attributes.get("type") != "text/html"]
    policy = next(
        one.attributes["content"]
        for one in page.all("meta")
        if one.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for name, block in (("style-src", style), ("script-src", script)):
        digest = base64.b64encode(hashlib.sha256(block.text.encode()).digest()).decode()
        assert re.findall(rf"{name} ([^;]+);", policy) == [f"'sha256-{digest}'"]
    everything = page.all()
    ids = [one.attributes["id"] for one in everything if "id" in one.attributes]
    assert len(set(ids)) == len(ids), [one for one in ids if ids.count(one) > 1][:5]
    for one in everything:
        assert not [name for name in one.attributes if name.startswith("on") or name == "style"], one.tag
        if "href" in one.attributes:
            assert one.attributes["href"][0] == "#"
            assert one.attributes["href"][1:] in ids, one.attributes["href"]
        if "src" in one.attributes:
            assert one.attributes["src"].startswith("data:image/svg+xml;base64,")
        for reference in ("aria-labelledby", "aria-controls", "for"):
            if reference in one.attributes:
                assert one.attributes[reference] in ids
    assert {one.tag for one in everything}.isdisjoint({"svg", "iframe", "object", "embed", "base", "link"})
    return page
