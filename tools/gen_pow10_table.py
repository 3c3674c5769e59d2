#!/usr/bin/env python3
"""Writes pow10_table.h: 10^k for the shortest-decimal algorithm in src/base/numfmt.c.

Entry k holds g = ceil(10^k * 2^(127 - floor(log2 10^k))), a 128-bit number with its top bit set, as
{high 64 bits, low 64 bits}. Exact integer arithmetic, so the table needs no checking by hand.
Usage: gen_pow10_table.py OUTPUT
"""
import sys

K_MIN, K_MAX = -292, 324  # every -k that Schubfach meets for a binary64


def normalised(k):
    power = 10 ** abs(k)
    bits = power.bit_length()
    if k >= 0:
        # floor(log2 10^k) = bits - 1; dividing by 2^(bits - 128), rounded up
        return power << (128 - bits) if bits <= 128 else -(-power >> (bits - 128))
    # 10^k = 1 / power, power no power of two: floor(log2 10^k) = -bits
    return -(-(1 << (127 + bits)) // power)


def main():
    rows = []
    for k in range(K_MIN, K_MAX + 1):
        g = normalised(k)
        assert 1 << 127 <= g < 1 << 128
        rows.append(f"    {{0x{g >> 64:016x}u, 0x{g & (1 << 64) - 1:016x}u}}, /* {k} */\n")
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("/* Made by tools/gen_pow10_table.py; do not edit. */\n")
        out.write(f"#define POW10_TABLE_MIN ({K_MIN})\n#define POW10_TABLE_MAX {K_MAX}\n\n")
        out.write(f"static const uint64_t pow10_table[{len(rows)}][2] = {{\n")
        out.writelines(rows)
        out.write("};\n")


if __name__ == "__main__":
    main()
