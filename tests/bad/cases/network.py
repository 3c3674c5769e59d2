"""Tiers of switches above the nodes: cluster.network."""

from base import config

NETWORK = """\
    tiers:
      - {name: leaf, nodes: 4, oversubscription: 1}
      - {name: spine, nodes: 16, oversubscription: 2}
    link: 400Gbit/s
    switch_ports: 64
    switch_w: 1000
    optics_w: 15
    optics_from: leaf
"""
KEY = "cluster.network"
LEAF = f"c.yaml:7:9: {KEY}.tiers[0]"
SPINE = f"c.yaml:8:9: {KEY}.tiers[1]"
BANDWIDTH = "number > 0 and <= 1e+30"


def network(name, old, new, *errors):
    """A change of NETWORK, which begins in line 6; old: None: the whole section is new."""
    text = f"  network:\n{NETWORK}" if old else f"  network: {new}\n"
    if old and text.count(old) != 1:
        raise ValueError(f"{old!r} stands {text.count(old)} times in the network")
    text = text.replace(old, new) if old else text
    return config(f"network: {name}", ("cluster:\n", "cluster:\n" + text), *errors)


CASES = [
    network("a word", None, "fast", f'c.yaml:5:12: {KEY}: expected a mapping of keys to values, got "fast"'),
    network("without tiers", None, "{link: 400Gbit/s}", f'c.yaml:5:12: {KEY}: key "tiers" is missing'),
    network("no tier", None, "{tiers: []}", f"c.yaml:5:20: {KEY}.tiers: expected a list of mappings, got an empty list"),
    network("five tiers", None, "{tiers: [" + ", ".join(f"{{name: t{i}, nodes: {4 ** i}}}" for i in range(5)) + "]}",
            f"c.yaml:5:20: {KEY}.tiers: expected at most 4 tiers, got 5"),
    network("tiers that are names", None, "{tiers: [leaf]}",
            f'c.yaml:5:21: {KEY}.tiers[0]: expected a mapping of keys to values, got "leaf"'),
    network("tier without a name", "name: leaf, ", "", f'{LEAF}: key "name" is missing',
            f'c.yaml:13:18: {KEY}.optics_from: no tier is named "leaf"'),
    network("tier with an empty name", "name: spine", 'name: ""',
            f'c.yaml:8:16: {KEY}.tiers[1].name: expected text, got ""'),
    network("tier that has a line in its name", "name: spine", 'name: "a\\nb"', f"{SPINE}: expected a name that can be printed"),
    network("two tiers of a name", "name: spine", "name: leaf", f'{SPINE}: expected a name that no other span has, got "leaf"'),
    network("tier named as a node", "name: spine", "name: one_node",
            f'{SPINE}: expected a name that no other span has, got "one_node"'),
    network("tier without nodes", "nodes: 4, ", "", f'{LEAF}: key "nodes" is missing'),
    network("tier of no node", "nodes: 4,", "nodes: 0,", f'c.yaml:7:29: {KEY}.tiers[0].nodes: expected integer 1..1000000000, got "0"'),
    network("tier of half a node", "nodes: 4,", "nodes: 0.5,",
            f'c.yaml:7:29: {KEY}.tiers[0].nodes: expected integer 1..1000000000, got "0.5"'),
    network("fewer nodes than below", "nodes: 16", "nodes: 3", f"{SPINE}: expected at least the 4 nodes of the tier below, got 3"),
    network("switches that part switches", "      - {name: spine", "      - {name: pod, nodes: 6}\n      - {name: spine",
            f"c.yaml:8:9: {KEY}.tiers[1]: expected a multiple of the 4 nodes of the tier below, got 6"),
    config("network: last tier too small", [("cluster:\n", f"cluster:\n  network:\n{NETWORK}"), ("count: 1", "count: 17")],
           f"{SPINE}: expected a last tier that holds the 17 nodes of the cluster, got 16 nodes"),
    network("more bandwidth than below", "oversubscription: 2", "oversubscription: 0.5",
            f'c.yaml:8:52: {KEY}.tiers[1].oversubscription: expected number 1..1000000, got "0.5"'),
    network("no bandwidth", "oversubscription: 2", "oversubscription: .inf",
            f'c.yaml:8:52: {KEY}.tiers[1].oversubscription: expected number 1..1000000, got ".inf"'),
    network("oversubscription in words", "oversubscription: 2", "oversubscription: two",
            f'c.yaml:8:52: {KEY}.tiers[1].oversubscription: expected number 1..1000000, got "two"'),
    network("oversubscription misspelt", "oversubscription: 2", "oversubscribed: 2",
            f'c.yaml:8:34: {KEY}.tiers[1]: unknown key "oversubscribed"'),
    network("zero bandwidth", "400Gbit/s", "0", f'c.yaml:9:11: {KEY}.link: expected {BANDWIDTH}, got "0"'),
    network("infinite bandwidth", "400Gbit/s", "inf", f'c.yaml:9:11: {KEY}.link: expected {BANDWIDTH}, got "inf"'),
    network("negative bandwidth", "400Gbit/s", "-50GB/s", f'c.yaml:9:11: {KEY}.link: expected {BANDWIDTH}, got "-50GB/s"'),
    network("bandwidth that is power", "400Gbit/s", "400W",
            f"c.yaml:9:11: {KEY}.link: expected {BANDWIDTH} (units: B/s, kB/s, MB/s, GB/s, TB/s, MiB/s, GiB/s, Mbit/s, Gbit/s, "
            'Tbit/s), got "400W"'),
    network("bits for bits a second", "400Gbit/s", "400Gbit",
            f"c.yaml:9:11: {KEY}.link: expected {BANDWIDTH} (units: B/s, kB/s, MB/s, GB/s, TB/s, MiB/s, GiB/s, Mbit/s, Gbit/s, "
            'Tbit/s), got "400Gbit"'),
    network("switch with one port", "switch_ports: 64", "switch_ports: 1",
            f'c.yaml:10:19: {KEY}.switch_ports: expected integer 2..1000000, got "1"'),
    network("switches that nobody can count", "    switch_ports: 64\n", "",
            f"c.yaml:10:15: {KEY}.switch_w: expected switch_ports beside it"),
    network("ports that draw nothing", "    switch_w: 1000\n", "",
            f"c.yaml:10:19: {KEY}.switch_ports: expected switch_w beside it"),
    network("negative power", "optics_w: 15", "optics_w: -15", f'c.yaml:12:15: {KEY}.optics_w: expected number 0..10000000, got "-15"'),
    network("optics of no power", "    optics_w: 15\n", "", f"c.yaml:12:18: {KEY}.optics_from: expected optics_w beside it"),
    network("optics from no tier", "optics_from: leaf", "optics_from: spin",
            f'c.yaml:13:18: {KEY}.optics_from: no tier is named "spin", did you mean "spine"?'),
    network("contention by a number", "optics_from: leaf", "contention: 2",
            f'c.yaml:13:17: {KEY}.contention: expected true or false, got "2"'),
    network("contention for nothing", "    link: 400Gbit/s\n", "    contention: true\n",
            f"c.yaml:9:17: {KEY}.contention: expected link beside it"),
    network("unknown key", "    switch_w", "    switches", f'c.yaml:11:5: {KEY}: unknown key "switches", did you mean "switch_w"?',
            f"c.yaml:10:19: {KEY}.switch_ports: expected switch_w beside it"),
    config("network: power of a country", [("cluster:\n", f"cluster:\n  network:\n{NETWORK.replace('optics_w: 15', 'optics_w: 1e7')}"),
                                           ("gpus: 8}", "gpus: 1000}")],
           "c.yaml:5:3: cluster: expected a peak power of at most 9e+09 W, got 3.00004e+10"),
    network("several problems", "{name: leaf, nodes: 4, oversubscription: 1}", "{name: leaf, nodes: 40, oversubscription: 0}",
            f'c.yaml:7:51: {KEY}.tiers[0].oversubscription: expected number 1..1000000, got "0"',
            f"{SPINE}: expected at least the 40 nodes of the tier below, got 16"),
]
