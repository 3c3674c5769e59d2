"""The data of a page of easim report, decoded apart from its scripts (docs/reference/outputs.md): data_of(PAGE), text_of(PAGE)."""
import base64
import json
import re
import struct
import zlib
from pathlib import Path


def packed_of(page):
    """What stands in the page."""
    return re.search(r'id="data">(.*?)</script>', Path(page).read_text(encoding="utf-8"), re.S)[1]


def text_of(page):
    """The JSON, and the columns after it."""
    text, _, body = zlib.decompress(base64.b64decode(packed_of(page), validate=True)).partition(b"\0")
    return text.decode("utf-8"), body


def numbers(column, body):
    count, out, value = column["count"], [], 0
    lists = [body[column["packed"] + b * count:][:count] for b in range(column["bytes"])]
    for i in range(count):
        folded = sum(those[i] << 8 * b for b, those in enumerate(lists))
        number = -(folded + 1) // 2 if folded % 2 else folded // 2
        value = number + (value if column["steps"] else 0)
        out.append(value)
    return out


def reals(bits):
    return [None if b < 0 else struct.unpack("<f", struct.pack("<I", b << 8))[0] for b in bits]


def filled(node, body):
    """The same with a list of numbers for each column."""
    if isinstance(node, dict):
        return numbers(node, body) if "packed" in node else {key: filled(item, body) for key, item in node.items()}
    return [filled(item, body) for item in node] if isinstance(node, list) and node and isinstance(node[0], dict) else node


def seconds(ms):
    return [None if t < 0 else t / 1000 for t in ms]


def start(jobs, i):
    return jobs["submit_ms"][i] + max(0, jobs["wait_ms"][i])


def give_times(jobs):
    """Times in seconds, or None."""
    jobs["submit_s"], jobs["wait_s"] = seconds(jobs["submit_ms"]), seconds(jobs["wait_ms"])
    ends = [-1 if rest < 0 else start(jobs, i) + rest for i, rest in enumerate(jobs["rest_ms"])]
    jobs["finish_s"] = seconds(ends)
    jobs["jct_s"] = [None if end < 0 else (end - submit) / 1000 for end, submit in zip(ends, jobs["submit_ms"])]


def join_jobs(jobs):
    jobs["id"] = [jobs["heads"][head] + (str(n) if n >= 0 else "") for head, n in zip(jobs["job_id"], jobs["number"])]
    for key, texts in (("user", "users"), ("model", "models"), ("status", "statuses")):
        jobs[key] = [jobs[texts][place] for place in jobs[key]]
    give_times(jobs)


def join_segments(lanes, jobs):
    """Segments begin after the one before, or at the start of their job, whose last one ends with it, or with the run."""
    jobs = {key: jobs[key] + more for key, more in lanes["replicas"].items()}
    give_times(jobs)
    begin, length, of, end_ms = lanes["start_ms"], lanes["length_ms"], lanes["job"], round(1000 * lanes["end_s"])
    place = [0]
    for i, job in enumerate(of):
        begin[i] += begin[i - 1] + length[i - 1] if i > 0 and of[i - 1] == job else start(jobs, job)
        if i + 1 == len(of) or of[i + 1] != job:
            rest = jobs["rest_ms"][job]
            length[i] += (end_ms if rest < 0 else start(jobs, job) + rest) - begin[i]
        place.append(place[-1] + 2 * lanes["runs"][i])
    for part in (lanes, lanes["rest"]):
        part["start_s"], part["length_s"] = seconds(part["start_ms"]), seconds(part["length_ms"])
    lanes["energy_j"] = [w * s for w, s in zip(reals(lanes["power_real"]), lanes["length_s"])]
    if "sync_real" in lanes:
        lanes["sync_share"] = reals(lanes["sync_real"])
    gpus = [n for pair in zip(lanes["firsts"], lanes["widths"]) for n in pair]
    lanes |= {"jobs": jobs, "place": place, "gpus": gpus}


def join_blame(blame, jobs, end_s):
    """Of the queue there is what differs from the wait for the start; what is left of a job's time it computed."""
    blame["of_s"] = []
    for i, submit in enumerate(jobs["submit_ms"]):
        end = round(1000 * end_s) if jobs["rest_ms"][i] < 0 else start(jobs, i) + jobs["rest_ms"][i]
        parts = {part: blame["of_ms"].get(part, [0] * (i + 1))[i] for part in blame["parts"]}
        if jobs["wait_ms"][i] >= 0:
            parts["queued"] += jobs["wait_ms"][i]
            parts["run"] = end - submit - sum(parts.values())
        blame["of_s"].append([ms / 1000 for ms in parts.values()])
    blame["missed"] = [(blame["causes"][cause], None if late < 0 else late / 1000) for cause, late in zip(blame["cause"], blame["late_ms"])]


def data_of(page):
    """What a page shows, with times in seconds."""
    text, body = text_of(page)
    data = filled(json.loads(text), body)
    for policy in data["policies"]:
        if policy["jobs"]:
            join_jobs(policy["jobs"])
        if "lanes" in policy:
            join_segments(policy["lanes"], policy["jobs"])
        if "blame" in policy:
            join_blame(policy["blame"], policy["jobs"], policy["lanes"]["end_s"])
    return data
