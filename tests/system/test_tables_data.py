"""easim profile sia, lambda and elasticflow on the published tables: test_tables_data.py EASIM SOURCE; skipped (exit 77) without
EASIM_DATA. Every row, converted again here."""
import re

from harness import cases, easim, real_data, rows_of

IN_SAMPLES = ("ssd", "bert_base_squad", "bert_large_squad", "ncf", "resnet50")


def sia(folder):
    for path in sorted(folder.glob("*.csv")):
        model, gpu = re.fullmatch(r"(\w+)-(?:placements|scalability)-(.+)\.csv", path.name).groups()
        for row in rows_of(path):
            nodes = [int(digit) for digit in row["placement"]] if "placement" in row else None
            k = sum(nodes) if nodes else int(row["num_replicas"])
            batch = float(row["local_bsz"])
            yield model, "", gpu, k, len(nodes) if nodes else int(row["num_nodes"]), batch, k * batch / float(row["step_time"])


def lambda_labs(folder):
    for precision in ("fp16", "fp32"):
        batches = {row["name_gpu"]: row for row in rows_of(folder / f"pytorch-train-bs-{precision}.csv")}
        for row in rows_of(folder / f"pytorch-train-throughput-{precision}.csv"):
            k, gpu = int(float(row["num_gpu"])), re.sub(r"\b\d+x ?", "", row["name_gpu"])
            for task in IN_SAMPLES:
                batch = float(batches.get(row["name_gpu"], {}).get(task) or 0)
                if float(row[task] or 0) > 0 and batch > 0:
                    yield task, precision, gpu, k, 1, batch / k, float(row[task])


def elasticflow(folder):
    for path in sorted(folder.glob("*.csv")):
        for row in rows_of(path):
            batch = int(row.pop("global_batch_size"))
            for k, rate in row.items():
                if float(rate or 0) > 0:
                    yield path.stem, "", "a100", int(k), -(-int(k) // 8), batch / int(k), batch * float(rate)


def check(folder, reader, expected, files, *options):
    easim("profile", reader, *files, *options, "-o", folder / "p.csv")
    rows = rows_of(folder / "p.csv")
    expected = list(expected)
    assert len(rows) == len(expected) > 0, (reader, len(rows), len(expected))
    for row, (model, precision, gpu, k, nodes, batch, rate) in zip(rows, expected):
        found = [row[name] for name in ("model", "precision", "gpu", "k", "nodes")]
        assert found == [model, precision, gpu, str(k), str(nodes)], (row, found)
        for name, value in (("batch_per_gpu", batch), ("throughput_samples_s", rate)):
            assert abs(float(row[name]) / value - 1) < 1e-12, (row, name, value)
    print(f"{reader}: {len(rows)} rows of {len(files)} files")


def of_sia(folder):
    data = real_data("profiles/sia")
    check(folder, "sia", sia(data), sorted(data.glob("*.csv")))


def of_lambda(folder):
    data = real_data("profiles/lambda")
    check(folder, "lambda", lambda_labs(data), [data / f"pytorch-train-throughput-{precision}.csv" for precision in ("fp16", "fp32")])


def of_elasticflow(folder):
    data = real_data("profiles/elasticflow_A100")
    check(folder, "elasticflow", elasticflow(data), sorted(data.glob("*.csv")), "--gpu", "a100")


cases(of_sia, of_lambda, of_elasticflow)
