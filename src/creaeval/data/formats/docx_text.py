"""A Word document as blocks: its text as a reader sees it, with changes accepted, boxes, notes and lists.

Only the parts that hold text are unpacked, and read as what the file format's standard says (ISO/IEC 29500-1,
section 17); python-docx leaves out text boxes, content controls, notes and tracked changes.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections import Counter
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from creaeval.data.files import DOCUMENT, check_archive, read_bytes
from creaeval.data.formats.blocks import BOLD, HEADING, PLAIN, Grid, Line, Listed, check_length
from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from creaeval.data.formats.blocks import Block

_MAX_BYTES = 200_000_000  # of the file itself: photographs are not unpacked
_MAX_TEXT = 20_000_000  # of the parts that are unpacked; a hundred pages are about 2 MB
_BODY_TEXT = 9  # the outline level of what is no heading
_DEEPEST = 20  # styles may be based on each other in a circle
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_STRICT = b"http://purl.oclc.org/ooxml/wordprocessingml/main"
_W = f"{{{_WORD}}}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_COMPATIBLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
#: Deleted or moved-away text, properties, instructions of fields, the pronunciation beside a word.
_SKIPPED = {f"{_W}{name}" for name in ("del", "moveFrom", "pPr", "rPr", "instrText", "sdtPr", "rt", "tblPr")}
_MARKS = {f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}tab": "\t", f"{_W}noBreakHyphen": "-"}
_WRAPPERS = {f"{_W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")}
_NOTES = {f"{_W}footnoteReference": "footnotes", f"{_W}endnoteReference": "endnotes"}


class _Style(NamedTuple):
    look: int = PLAIN
    bold: bool = False
    in_list: Any = None
    contents: bool = False


class _Level(NamedTuple):
    kind: str
    label: str
    list_id: str


class WordText(NamedTuple):
    """What a document holds, and what was left out of it."""

    blocks: list[Block]
    notes: list[str]


def read_docx(path: Path) -> WordText:
    """Read the text of a Word document.

    DataError if it is none, is damaged or protected by a password, or would unpack to too much.
    """
    data = read_bytes(path, _MAX_BYTES)
    check_archive(data, path, DOCUMENT)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            document = _Document(_read_parts(archive, path))
        check_length(document.paragraphs, path)
        return document.read()
    except DataError:
        raise
    except Exception as error:  # damage shows in whatever place the reading has come to
        raise DOCUMENT.damaged(path, error) from error


def _read_parts(archive: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    """Return the root elements of the parts that hold text, by the last word of their relation's type."""
    names = set(archive.namelist())
    main = _related(archive, "_rels/.rels", "").get("officeDocument", "word/document.xml")
    folder, file = posixpath.split(main)
    related = _related(archive, f"{folder}/_rels/{file}.rels", folder)
    wanted = {"document": main} | {
        name: related[name] for name in ("styles", "numbering", "footnotes", "endnotes") if name in related
    }
    wanted = {name: part for name, part in wanted.items() if part in names or name == "document"}
    size = sum(archive.getinfo(part).file_size for part in wanted.values())
    if size > _MAX_TEXT:
        raise DataError(
            f"{path}: its text unpacks to {size // 1_000_000} MB, expected at most {_MAX_TEXT // 1_000_000}. "
            f"{DOCUMENT.smaller}"
        )
    return {name: _parse(archive.read(part), path) for name, part in wanted.items()}


def _related(archive: zipfile.ZipFile, name: str, folder: str) -> dict[str, str]:
    if name not in archive.namelist():
        return {}
    related: dict[str, str] = {}
    for relation in _parse(archive.read(name), name):
        if relation.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, relation.get("Target", "")))
            related.setdefault(relation.get("Type", "").rpartition("/")[2], target.lstrip("/"))
    return related


def _parse(data: bytes, where: object) -> Any:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(data.replace(_STRICT, _WORD.encode()), parser)
    if root.getroottree().docinfo.internalDTD is not None:
        raise DataError(
            f"{where}: declares a document type, which no Word document does. Open it in Word and save it "
            "again."
        )
    return root


class _Document:
    def __init__(self, parts: dict[str, Any]) -> None:
        self._body = parts["document"].find(f"{_W}body")
        if self._body is None:
            raise ValueError("there is no body")
        self._styles = _read_styles(parts["styles"]) if "styles" in parts else {}
        self._levels = _read_levels(parts["numbering"]) if "numbering" in parts else {}
        self._foot_notes = {
            (kind, note.get(f"{_W}id")): note
            for kind in set(_NOTES.values())
            if kind in parts
            for note in parts[kind]
            if note.get(f"{_W}type", "normal") == "normal"
        }
        self._counts: Counter[tuple[str, int]] = Counter()
        self._boxes: list[Any] = []
        #: Text before a paragraph mark that was deleted, to which the next paragraph is joined.
        self._open: list[tuple[str, bool]] = []
        self._hidden = False

    @property
    def paragraphs(self) -> int:
        """How many there are."""
        return sum(1 for _ in self._body.iter(f"{_W}p"))

    def read(self) -> WordText:
        blocks = list(self._read_blocks(self._body))
        return WordText(blocks, ["text that is hidden in the document"] if self._hidden else [])

    def _read_blocks(self, parent: Any) -> Iterator[Block]:
        for child in _children(parent, "p", "tbl"):
            if child.tag == f"{_W}p":
                yield from self._read_paragraph(child)
            else:
                yield Grid(list(self._read_rows(child)))
        pieces, self._open = self._open, []
        if pieces:
            yield from _make_lines(pieces, PLAIN, None)

    def _read_rows(self, table: Any) -> Iterator[list[list[Block]]]:
        for row in _children(table, "tr"):
            if row.find(f"{_W}trPr/{_W}del") is None:
                yield [
                    list(self._read_blocks(cell))
                    for cell in _children(row, "tc")
                    if not _continues_above(cell)
                ]

    def _read_paragraph(self, paragraph: Any) -> Iterator[Block]:
        properties = paragraph.find(f"{_W}pPr")
        style = self._style(properties)
        if style.contents:
            return
        pieces, self._open = self._open, []
        outer, self._boxes = self._boxes, []
        pieces += list(self._read_runs(paragraph, style.bold))
        boxes, self._boxes = self._boxes, outer
        if properties is not None and properties.find(f"{_W}rPr/{_W}del") is not None:
            self._open = pieces
        else:
            listed = self._listed(properties, style) if any(text.strip() for text, _ in pieces) else None
            yield from _make_lines(pieces, style.look, listed)
        for box in boxes:
            yield from self._read_blocks(box)

    def _style(self, properties: Any) -> _Style:
        if properties is None:
            return self._styles.get("", _Style())
        style = self._styles.get(_value(properties, "pStyle", ""), _Style())
        level = int(_value(properties, "outlineLvl", str(_BODY_TEXT)))
        return style._replace(look=HEADING) if level < _BODY_TEXT else style

    def _listed(self, properties: Any, style: _Style) -> Listed | None:
        own = properties.find(f"{_W}numPr") if properties is not None else None
        in_list = style.in_list if own is None else own
        if in_list is None or (number_id := _value(in_list, "numId", "0")) == "0":
            return None
        depth = int(_value(in_list, "ilvl", "0"))
        level = self._levels.get((number_id, depth), _Level("decimal", "", number_id))
        self._counts[number_id, depth] += 1
        for deeper in [key for key in self._counts if key[0] == number_id and key[1] > depth]:
            del self._counts[deeper]
        return Listed(level.list_id, depth, level.kind, level.label, self._counts[number_id, depth])

    def _read_runs(self, element: Any, bold: bool) -> Iterator[tuple[str, bool]]:
        """Yield the text inside an element, each with whether it is bold; boxes are put aside."""
        for child in element:
            tag = child.tag
            if tag in {f"{_W}t", f"{_MATH}t"}:
                yield child.text or "", bold
            elif tag in _MARKS:
                yield _MARKS[tag], bold
            elif tag in _NOTES:
                yield self._note(_NOTES[tag], child.get(f"{_W}id")), bold
            elif tag == f"{_W}txbxContent":
                self._boxes.append(child)
            elif tag == f"{_COMPATIBLE}AlternateContent":
                # Word keeps a second copy of a text box for old readers.
                yield from self._read_runs(child[:1], bold)
            elif not (tag in _SKIPPED or _holds_placeholder(child) or self._is_hidden(child)):
                yield from self._read_runs(child, self._bold(child, bold))

    def _note(self, kind: str, note_id: str | None) -> str:
        note = self._foot_notes.get((kind, note_id))
        lines = (
            []
            if note is None
            else [line.text.strip() for line in self._read_blocks(note) if isinstance(line, Line)]
        )
        return f" [{' '.join(filter(None, lines))}]" if any(lines) else ""

    def _is_hidden(self, element: Any) -> bool:
        hidden = _is_on(element.find(f"{_W}rPr/{_W}vanish"), False)
        self._hidden = self._hidden or (hidden and bool("".join(element.itertext()).strip()))
        return hidden

    def _bold(self, element: Any, bold: bool) -> bool:
        properties = element.find(f"{_W}rPr") if element.tag == f"{_W}r" else None
        if properties is None:
            return bold
        style = self._styles.get(_value(properties, "rStyle", ""), _Style())
        return _is_on(properties.find(f"{_W}b"), bold or style.bold)


def _make_lines(pieces: list[tuple[str, bool]], look: int, listed: Listed | None) -> Iterator[Line]:
    """Part a paragraph at its line breaks; the mark of a list stands before the first line."""
    lines: list[list[tuple[str, bool]]] = [[]]
    for text, bold in pieces:
        first, *others = text.split("\n")
        lines[-1].append((first, bold))
        lines += [[(other, bold)] for other in others]
    for line in lines:
        text = "".join(part for part, _ in line)
        written = [(part, bold) for part, bold in line if part.strip()]
        lead = 0
        for part, bold in line:
            if part.strip() and not bold:
                break
            lead += len(part)
        bold_line = bool(written) and all(bold for _, bold in written)
        yield Line(
            text, max(look, BOLD if bold_line else PLAIN), 0 if bold_line or not written else lead, listed
        )
        listed = None


def _read_styles(root: Any) -> dict[str, _Style]:
    elements = {style.get(f"{_W}styleId"): style for style in root.findall(f"{_W}style")}
    styles: dict[str, _Style] = {}

    def resolve(style_id: str | None, depth: int = 0) -> _Style:
        element = elements.get(style_id)
        if element is None or depth > _DEEPEST:
            return _Style()
        base = resolve(_value(element, "basedOn", ""), depth + 1)
        name = _value(element, "name", "").casefold()
        outline = int(_value(element.find(f"{_W}pPr"), "outlineLvl", str(_BODY_TEXT)))
        is_heading = outline < _BODY_TEXT or re.match(r"heading \d|title$|subtitle$", name) is not None
        in_list = element.find(f"{_W}pPr/{_W}numPr")
        return _Style(
            HEADING if is_heading else base.look,
            _is_on(element.find(f"{_W}rPr/{_W}b"), base.bold),
            base.in_list if in_list is None else in_list,
            base.contents or re.match(r"toc\b|table of contents", name) is not None,
        )

    for style_id, element in elements.items():
        styles[style_id] = resolve(style_id)
        if element.get(f"{_W}type") == "paragraph" and element.get(f"{_W}default") in {"1", "true"}:
            styles[""] = styles[style_id]
    return styles


def _read_levels(root: Any) -> dict[tuple[str, int], _Level]:
    lists: dict[str, dict[int, _Level]] = {}
    for abstract in root.findall(f"{_W}abstractNum"):
        list_id = abstract.get(f"{_W}abstractNumId")
        lists[list_id] = {
            int(level.get(f"{_W}ilvl", "0")): _read_level(level, list_id)
            for level in abstract.findall(f"{_W}lvl")
        }
    return {
        (number.get(f"{_W}numId"), depth): level
        for number in root.findall(f"{_W}num")
        for depth, level in lists.get(_value(number, "abstractNumId", ""), {}).items()
    }


def _read_level(level: Any, list_id: str) -> _Level:
    label = _value(level, "lvlText", "")
    kind = _value(level, "numFmt", "decimal")
    # A plain number is written as "1. ", whatever it looks like in the list; words ("Step 1:") are kept.
    has_words = "%" in label and any(character.isalpha() for character in label)
    return _Level(kind, label if has_words and kind != "bullet" else "", list_id)


def _value(parent: Any, name: str, default: str) -> str:
    child = None if parent is None else parent.find(f"{_W}{name}")
    return default if child is None else str(child.get(f"{_W}val", default))


def _is_on(element: Any, default: bool) -> bool:
    return default if element is None else element.get(f"{_W}val", "1") not in {"0", "false", "off"}


def _children(parent: Any, *names: str) -> Iterator[Any]:
    """Yield the children of these kinds, also those inside content controls, insertions and custom XML."""
    tags = {f"{_W}{name}" for name in names}
    for child in parent:
        if child.tag in tags:
            yield child
        elif child.tag in _WRAPPERS and not _holds_placeholder(child):
            yield from _children(child, *names)


def _holds_placeholder(element: Any) -> bool:
    """Whether an element is a content control in which nothing is filled in, or a table of contents."""
    if element.tag != f"{_W}sdt":
        return False
    gallery = element.find(f"{_W}sdtPr/{_W}docPartObj/{_W}docPartGallery")
    return _is_on(element.find(f"{_W}sdtPr/{_W}showingPlcHdr"), False) or (
        gallery is not None and gallery.get(f"{_W}val") == "Table of Contents"
    )


def _continues_above(cell: Any) -> bool:
    merge = cell.find(f"{_W}tcPr/{_W}vMerge")
    return merge is not None and merge.get(f"{_W}val", "continue") == "continue"
