"""Two conversations of protocol 2 as they were recorded before easim spoke protocol 3, in ../golden/protocol2: a program that only
repeats the recorded answers is told the same bytes. Usage: test_exec_recorded.py EASIM SOURCE

The scenario has two GPU types, three tiers, failures, phases, a cap and carbon that change and are forecast, services, deadlines and
weights. The answers were drawn by chance: every action of protocol 2 is there, and each is accepted and refused.
"""
import gzip
import json
import sys

from harness import SOURCE, cases, easim

RECORDED = SOURCE / "tests/golden/protocol2"
# Plays one side of pieces (in hex, with whose they are): writes down what it is told in place of the other's.
PLAYER = """\
import json, sys
told = open(sys.argv[2], "wb", buffering=0)
for whose, piece in json.load(open(sys.argv[1])):
    piece = bytes.fromhex(piece)
    if whose == "program":
        sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    else:
        told.write(sys.stdin.buffer.readline() if piece.endswith(b"}\\n") else sys.stdin.buffer.read(len(piece)))
"""


def play(folder, pieces, *more):
    """What easim says to the program's pieces must be its own."""
    (folder / "player.py").write_text(PLAYER)
    (folder / "pieces").write_text(json.dumps([(whose, piece.hex()) for whose, piece in pieces]))
    command = f"{sys.executable} {folder}/player.py {folder}/pieces {folder}/told"
    easim("run", RECORDED / "scenario.yaml", "--out", folder / "out", "--quiet", "--check", "--set",
          f"policy.params.command={json.dumps(command)}", *more)
    expected, told = [piece for whose, piece in pieces if whose == "easim"], (folder / "told").read_bytes()
    for number, piece in enumerate(expected):
        at = next((at for at, (one, other) in enumerate(zip(piece, told)) if one != other), min(len(piece), len(told)))
        assert at == len(piece), (number, at, piece[max(at - 100, 0):at + 100], told[max(at - 100, 0):at + 100])
        told = told[len(piece):]
    assert not told, told
    return len(expected)


def test_lines(folder):
    lines = gzip.decompress((RECORDED / "lines.txt.gz").read_bytes()).splitlines(keepends=True)
    pieces = [line.split(b": ", 1) for line in lines]
    assert play(folder, [(whose.decode(), piece) for whose, piece in pieces]) == 121
    asked = {name for whose, line in pieces if whose == b"program" for action in json.loads(line).get("actions", []) for name in action}
    assert asked >= {"start", "preempt", "resize", "reject", "exchange", "scale_up", "scale_down", "wake_at"}, asked


def test_frames(folder):
    """Step by step: after hello and its answer, frames and actions in turn."""
    hello = gzip.decompress((RECORDED / "lines.txt.gz").read_bytes()).split(b"\n")[0].split(b": ", 1)[1]
    hello = hello[:hello.index(b',"services"')] + b"}\n"  # the agent scales none
    frames, size = gzip.decompress((RECORDED / "frames.gz").read_bytes()), 545
    ready = b'{"message": 0, "ready": 2, "steps": {"jobs": 3, "configs": 8, "wake_s": 700}}\n'
    pieces = [("easim", hello), ("program", ready)]
    for at in range(0, len(frames), size + 8):
        pieces += [("easim", frames[at:at + size]), ("program", frames[at + size:at + size + 8])]
    assert play(folder, pieces, "--set", "policy.params.services=false") == 1 + len(frames) // (size + 8) + 1


cases(test_lines, test_frames)
