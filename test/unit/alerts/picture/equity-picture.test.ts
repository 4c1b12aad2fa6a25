import { crc32, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { equityPicture } from '../../../../src/alerts/text/message-text.ts';

/** Splits a PNG into its chunks, and checks the CRC of each. */
function chunksOf(png: Buffer): readonly { readonly kind: string; readonly data: Buffer }[] {
  const chunks: { kind: string; data: Buffer }[] = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const content = png.subarray(at + 4, at + 8 + length);
    expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(content));
    chunks.push({ kind: content.toString('latin1', 0, 4), data: content.subarray(4) });
    at += 12 + length;
  }
  return chunks;
}

const coloursOf = (values: readonly number[]): ReadonlySet<string> => {
  const data = chunksOf(equityPicture(values)).find(({ kind }) => kind === 'IDAT')?.data;
  const rows = inflateSync(data ?? Buffer.alloc(0));
  const colours = new Set<string>();
  for (let y = 0; y < 240; y += 1) {
    for (let x = 0; x < 600; x += 1)
      colours.add(rows.subarray(y * 1_801 + 1 + x * 3, y * 1_801 + 4 + x * 3).toString('hex'));
  }
  return colours;
};

test('a picture of equity is a PNG of a few kilobytes', () => {
  const png = equityPicture([1, 3, 2, 5, 4]);
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect(chunksOf(png).map(({ kind }) => kind)).toEqual(['IHDR', 'IDAT', 'IEND']);
  expect(png.length).toBeLessThan(10_000);
});

test('it is green where equity has risen, and red where it has fallen', () => {
  const [green, red] = ['16805c', 'c4302b'];
  expect([...coloursOf([1, 2])]).toContain(green);
  expect([...coloursOf([1, 2])]).not.toContain(red);
  expect([...coloursOf([2, 1])]).toContain(red);
  expect([...coloursOf([1, 1])]).toContain(green);
});
