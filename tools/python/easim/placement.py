"""Where easim places a job (docs/reference/semantics.md, sections 8 and 32): of the lowest place that has the GPUs, a node, those below one
switch, or all, the one with the fewest free; within it the freest first."""


def free_in(nodes):
    return sum(node.free for node in nodes)


def places_of(nodes, count):
    """Nodes by the place that they are in, of which each has `count` nodes of the cluster."""
    places = {}
    for node in nodes:
        places.setdefault(node.node // count, []).append(node)
    return list(places.values())


def choose(nodes, span, k, span_nodes):
    """Takes k GPUs of these nodes, which are one place of a span; yields each node with what it had free."""
    for lower in range(span):
        fitting = [place for place in places_of(nodes, span_nodes[lower]) if free_in(place) >= k]
        if fitting:
            yield from choose(min(fitting, key=free_in), lower, k, span_nodes)
            return
    if span == 0:
        yield nodes[0], nodes[0].free
        nodes[0].free -= k
        return
    for place in sorted(places_of(nodes, span_nodes[span - 1]), key=free_in, reverse=True):
        taken = min(k, free_in(place))
        if taken > 0:
            yield from choose(place, span - 1, taken, span_nodes)
        k -= taken
