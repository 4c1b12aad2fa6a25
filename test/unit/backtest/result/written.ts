import { ByteWriter } from '../../../../src/backtest/byte-writer.ts';

/** Returns the bytes that `write` writes, as text. */
export function written(write: (out: ByteWriter) => void): string {
  const pieces: Buffer[] = [];
  const out = new ByteWriter((piece) => pieces.push(Buffer.from(piece)));
  write(out);
  out.flush();
  return Buffer.concat(pieces).toString('utf8');
}
