/**
 * All ways to choose half of an even number of blocks, each once with its other half: those that hold block
 * 0, as bits. 16 blocks have 6,435 of them, and so 12,870 splits with both halves in both parts.
 */
export function halfSplits(blocks: number): Int32Array {
  const splits: number[] = [];
  for (let mask = 1; mask < 2 ** blocks; mask += 2) {
    if (bitCount(mask) === blocks / 2) splits.push(mask);
  }
  return Int32Array.from(splits);
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
