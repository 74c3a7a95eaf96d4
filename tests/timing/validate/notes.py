# What the page says of a class beside its numbers: how its kernels differ from the sources', and what bounds the error.
NOTES = {
    "L1 strides": """Strides of 5, 9, 13 and 41 dwords take 28 cycles, those of 17, 33 and 63 take 48: banks that the rule for lanes of a quad (`bank_conflicts`) does not know.""",
    "bandwidth": """Buffers that L1 holds are bound, on MI100, by how many loads the compiler lets be under way; MI210's code has more. Latencies of stores (`store_extra`) were chosen by the rows of one wave a workgroup, the others show them unfitted.""",
    "copies": """Assembly in the source's pattern: a store waits for its own load, while others are under way. `store_bytes_per_clock` and `store_extra` of Vega 10 were chosen by the copies with much and with little under way that L2 holds, at 1630 MHz; the other clocks and those behind a flush show them unfitted. What is
between launches that flush L2, 17 us at any clock, is taken from the rows: it is the host's and the command processor's. The memory's clock counts for nothing in them.""",
    "copies compiled": """Bound by what is not known of the source's code: its compiler is not at hand. Today's waits once a step for a load and the store before it, which are under way together: 550 cycles of four waves. The 840 measured are those of a load and a store one after the other.""",
    "Laplacian time": """Sampled (`--time-error 2`). All of them fetch what L2 has lost, and the working set of one plane, 8 MiB, is just what L2 holds: the model's L2, which keeps what was used last, keeps more than the card's where a work-item has one point. Bandwidth of memory is assumed to be as a MI210's; the best of the variants
reaches 1.17 TB/s on the card, 84 % of that. With 16 points registers spill, to scratch that is larger than L2; how many do is up to the compiler.""",
    "Laplacian L2 hits": """Of requests of 64 bytes in the model. The card's are fewer, by FETCH_SIZE and hits: 52 M where the model has 77 M (`ordered 8`), so that its misses are a larger part.""",
}
