"""Storage, what models read from it and what they send: storage, bytes_per_sample, storage_bytes_per_sample, sync_bytes, and
contention without the last."""

from base import CONFIG, MODELS, Case, changed, config, model

BANDWIDTH = "number > 0 and <= 1e+30"
UNITS = " (units: B/s, kB/s, MB/s, GB/s, TB/s, MiB/s, GiB/s, Mbit/s, Gbit/s, Tbit/s)"
BYTES = " (units: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)"
NETWORK = "  network: {tiers: [{name: leaf, nodes: 4, oversubscription: 2}], link: 100Gbit/s, contention: true}\n"
LACKS = 'key "sync_bytes" is missing, which cluster.network.contention needs: the bytes that a GPU sends in an iteration'
SECOND = MODELS[MODELS.index("  - name"):].replace("bert", "vit")


def storage(name, text, *errors):
    return config(f"storage: {name}", ("models: m.yaml", f"storage: {text}\nmodels: m.yaml"), *errors)


def key(name, line, *errors):
    """One more key of the model, in line 6."""
    return model(f"storage: {name}", ("    gpus:", f"    {line}\n    gpus:"), *errors)


def contention(name, models, *errors, cluster=()):
    files = {"c.yaml": changed(CONFIG, [("cluster:\n", "cluster:\n" + NETWORK), ("count: 1,", "count: 3,"), *cluster]),
             "m.yaml": models}
    return Case(f"contention: {name}", errors, files)


CASES = [
    storage("a number", "100GB/s", 'c.yaml:9:10: storage: expected a mapping of keys to values, got "100GB/s"'),
    storage("without bandwidth", "{}", 'c.yaml:9:10: storage: key "bandwidth" is missing'),
    storage("of no bandwidth", "{bandwidth: 0}", f'c.yaml:9:22: storage.bandwidth: expected {BANDWIDTH}, got "0"'),
    storage("negative bandwidth", "{bandwidth: -1GB/s}", f'c.yaml:9:22: storage.bandwidth: expected {BANDWIDTH}, got "-1GB/s"'),
    storage("infinite bandwidth", "{bandwidth: inf}", f'c.yaml:9:22: storage.bandwidth: expected {BANDWIDTH}, got "inf"'),
    storage("bytes instead of bandwidth", "{bandwidth: 100GB}",
            f'c.yaml:9:22: storage.bandwidth: expected {BANDWIDTH}{UNITS}, got "100GB"'),
    storage("list of bandwidths", "{bandwidth: [1GB/s]}", f"c.yaml:9:22: storage.bandwidth: expected {BANDWIDTH}, got a list"),
    storage("misspelt", "{bandwith: 1GB/s}",
            'c.yaml:9:11: storage: unknown key "bandwith", did you mean "bandwidth"?',
            'c.yaml:9:10: storage: key "bandwidth" is missing'),
    key("negative bytes of a sample", "bytes_per_sample: -1",
        'm.yaml:6:23: models[0].bytes_per_sample: expected number 0..1e+30, got "-1"'),
    key("bytes of a sample in words", "storage_bytes_per_sample: many",
        f'm.yaml:6:31: models[0].storage_bytes_per_sample: expected {BANDWIDTH}, got "many"'),
    key("no bytes of a sample", "storage_bytes_per_sample: 0",
        f'm.yaml:6:31: models[0].storage_bytes_per_sample: expected {BANDWIDTH}, got "0"'),
    key("bandwidth instead of bytes", "storage_bytes_per_sample: 1MB/s",
        f'm.yaml:6:31: models[0].storage_bytes_per_sample: expected {BANDWIDTH}{BYTES}, got "1MB/s"'),
    key("negative bytes of a synchronization", "sync_bytes: -100MB",
        'm.yaml:6:17: models[0].sync_bytes: expected number 0..1e+30, got "-100MB"'),
    key("bits of a synchronization", "sync_bytes: 1Gbit",
        f'm.yaml:6:17: models[0].sync_bytes: expected number 0..1e+30{BYTES}, got "1Gbit"'),
    contention("a model that does not say what it sends", MODELS, f"m.yaml:2:5: models.bert: {LACKS}"),
    contention("two of three models", MODELS + SECOND + SECOND.replace("vit", "gpt").replace("    gpus:", "    sync_bytes: 1MB\n    gpus:"),
               f"m.yaml:2:5: models.bert: {LACKS}", f"m.yaml:16:5: models.vit: {LACKS}"),
]
