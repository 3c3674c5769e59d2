"""Text that is no YAML, or none that a scenario may be written in."""

from base import CONFIG, Case, changed, config, model

BOMB = "".join(f"x{i}: &x{i} [{', '.join([f'*x{i - 1}'] * 10) if i else 'lol'}]\n" for i in range(9))

CASES = [
    config("bracket not closed", ("gpus: 8}", "gpus: 8"),
           "c.yaml:9:7: cluster.nodes[0]: did not find expected ',' or '}' while parsing a flow mapping that "
           "starts at line 8"),
    config("quote not closed", ("name: base", "name: \"base"),
           "c.yaml:16:1: name: found unexpected end of stream while scanning a quoted scalar that starts at line 1"),
    config("indentation", ("  nodes:", "   nodes:"),
           "c.yaml:7:4: cluster: did not find expected key while parsing a block mapping that starts at line 5"),
    config("tab", ("  kind: poisson", "\tkind: poisson"),
           "c.yaml:11:1: workload: found a character that cannot start a value (a tab? indent with blanks)"),
    config("duplicate key", ("seed: 1", "seed: 1\nseed: 2"),
           "c.yaml:4:1: seed: duplicate key \"seed\" (first at line 3)"),
    config("duplicate keys and a bad value", [("seed: 1", "seed: 1\nseed: 2\nname: again"), ("10h", "ten")],
           "c.yaml:4:1: seed: duplicate key \"seed\" (first at line 3)",
           "c.yaml:5:1: name: duplicate key \"name\" (first at line 1)"),
    config("empty file", "", "c.yaml: the file holds no scenario"),
    config("comments only", "# nothing\n", "c.yaml: the file holds no scenario"),
    config("a list instead of a scenario", "- name: base\n- horizon: 10h\n",
           "c.yaml:1:1: expected a mapping of keys to values, got a list"),
    config("a word instead of a scenario", "base\n",
           "c.yaml:1:1: expected a mapping of keys to values, got \"base\""),
    config("two documents", CONFIG + "---\nname: second\n", "c.yaml:16:1: a second document: expected one"),
    config("alias without anchor", ("seed: 1", "seed: *one"), "c.yaml:3:7: seed: alias \"*one\" has no anchor"),
    config("alias inside its anchor", ("users: 2", "users: &all [*all]"),
           "c.yaml:14:16: workload.users[0]: alias \"*all\" is inside the node that it repeats"),
    config("alias bomb", BOMB + CONFIG,
           "c.yaml:7:25: x6[3]: over 1000000 values, those that aliases repeat included"),
    config("nested too deep", ("seed: 1", f"seed: {'[' * 200}{']' * 200}"),
           "c.yaml:3:71: nested over 64 levels deep"),
    config("key that is a list", ("seed: 1", "[seed]: 1"), "c.yaml:3:1: expected a word as key, found a list"),
    config("not UTF-8", CONFIG.replace("base", "b\xe4se").encode("latin-1"),
           "c.yaml:1:9: invalid trailing UTF-8 octet"),
    config("control character", ("base", "b\x01se"), "c.yaml:1:8: control characters are not allowed"),
    config("NUL character", ("base", "\"b\\0se\""), "c.yaml:1:7: name: a NUL character in the text"),
    model("models: YAML error", ("gamma: 2", "gamma: ]"),
          "m.yaml:10:16: models[0].gpus.a100.gamma: did not find expected node content while parsing a block node "
          "that starts at line 10"),
    Case("file not found", ("nowhere.yaml: cannot open: No such file or directory",), {},
         ("run", "nowhere.yaml", "--out", "out")),
    Case("folder instead of a file", ("easim run: expected CONFIG.yaml, got a folder: folder",), {"folder": None},
         ("run", "folder", "--out", "out")),
    Case("standard input: empty", ("standard input: the file holds no scenario",), {}, ("check", "-")),
    Case("standard input", ("standard input:2:10: horizon: expected drain or a duration > 0 and <= 4e9 s, got \"never\"",),
         {}, ("run", "-", "--out", "out"),
         stdin=changed(CONFIG, [("10h", "never"), ("models: m.yaml\n", ""), ("users: 2", "rigid: {k: 1}")])),
]
