"""Pictures of easim plot, decoded: colours of a PNG, places of texts in an SVG."""
import itertools
import re
import struct
import xml.etree.ElementTree as ElementTree
import zlib


def unfiltered(kind, row, before, pixel):
    if kind == 0:
        return row
    if kind == 1:
        out = bytearray(len(row))
        for c in range(pixel):
            out[c::pixel] = bytes([value & 255 for value in itertools.accumulate(row[c::pixel])])
        return bytes(out)
    if kind == 2:
        return bytes([(value + up) & 255 for value, up in zip(row, before)])
    out = bytearray(row)
    for i, value in enumerate(row):
        left, up, corner = (out[i - pixel] if i >= pixel else 0), before[i], (before[i - pixel] if i >= pixel else 0)
        nearest = (left + up) // 2
        if kind == 4:
            p = left + up - corner
            nearest = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
        out[i] = (value + nearest) & 255
    return bytes(out)


def png_rows(data):
    """Width, and the rows of an 8-bit RGB or RGBA picture as bytes, filters undone (PNG, second edition, clause 9)."""
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
            assert depth == 8 and colour in (2, 6) and interlace == 0
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    pixel = 3 if colour == 2 else 4
    raw, rows, before = zlib.decompress(packed), [], bytes(width * pixel)
    for y in range(height):
        start = y * (width * pixel + 1)
        before = unfiltered(raw[start], raw[start + 1:start + 1 + width * pixel], before, pixel)
        rows.append(before)
    return width, pixel, rows


def check_png(path, width, height):
    """Of the size asked for, with something on it in several colours, and nothing cut off at the edges."""
    found, pixel, rows = png_rows(path.read_bytes())
    assert (found, len(rows)) == (3 * width, 3 * height), (path, found, len(rows))
    colours = {}
    for row in rows[::3]:
        for i in range(0, len(row), 3 * pixel):
            colour = row[i:i + 3]
            colours[colour] = colours.get(colour, 0) + 1
    white = colours.get(b"\xff\xff\xff", 0)
    assert len(colours) > 20 and 0.1 < white / sum(colours.values()) < 0.99, (path, len(colours), white)
    edges = rows[0] + rows[-1] + b"".join(row[:pixel] + row[-pixel:] for row in rows)
    assert set(edges) == {255}, f"{path}: something touches the edge"


def texts_of(path):
    """Of every text of an SVG: itself and its box (left, top, right, bottom) in pixels; a character is at least half as wide
    as high, on average, in any font without serifs."""
    found = []
    for group in ElementTree.parse(path).getroot().iter("{http://www.w3.org/2000/svg}g"):
        text = "".join("".join(child.itertext()) for child in group if child.tag.endswith("}text")).strip()
        place = re.match(r"translate\(([-0-9.]+),([-0-9.]+)\)( rotate\(([-0-9.]+)\))?", group.get("transform", ""))
        if not text or not place:
            continue
        x, y, size, turned = float(place[1]), float(place[2]), float(group.get("font-size")), place[4] not in (None, "0")
        long = 0.5 * size * len(text)
        start = {"start": 0, "middle": -long / 2, "end": -long}[group.get("text-anchor")]
        box = (x + start, y - 0.7 * size, x + start + long, y)
        if turned:
            box = (x - 0.7 * size, y - start - long, x, y - start)
        found.append((text, box))
    return list(dict.fromkeys(found))  # gnuplot draws a text in a box again, over the box


def check_texts_apart(path, width, height):
    """No text of an SVG is over another one or outside."""
    texts = texts_of(path)
    for text, (left, top, right, bottom) in texts:
        assert left >= 0 and top >= 0 and right <= width and bottom <= height, (path, text, (left, top, right, bottom))
    for (one, a), (other, b) in itertools.combinations(texts, 2):
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert apart, (path, one, a, other, b)
    return [text for text, _ in texts]


def count_pixels(path, colour):
    """Pixels of exactly this colour, "#RRGGBB", in a PNG."""
    wanted = bytes.fromhex(colour[1:])
    _, pixel, rows = png_rows(path.read_bytes())
    return sum(1 for row in rows for i in range(0, len(row), pixel) if row[i:i + 3] == wanted)


def spans_of(path, colour, left, right):
    """Of the pieces of the first path of this colour, (red, green, blue), in an SVG: where they begin and end, from left to
    right, as shares of the way from x = left to x = right. Pieces that touch are one."""
    wanted, found = f"rgb({colour[0]:3d}, {colour[1]:3d}, {colour[2]:3d})", []
    line = next(at for at in ElementTree.parse(path).getroot().iter("{http://www.w3.org/2000/svg}path")
                if at.get("stroke") == wanted)
    for piece in line.get("d").split("M")[1:]:
        xs = [(float(x) - left) / (right - left) for x in re.findall(r"([0-9.]+),", piece)]
        if found and abs(found[-1][1] - min(xs)) < 1e-3:
            found[-1][1] = max(xs)
        else:
            found.append([min(xs), max(xs)])
    return found
