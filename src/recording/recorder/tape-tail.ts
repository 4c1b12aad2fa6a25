import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { DecimalText } from '../../domain/decimal-text.ts';
import type { PublicTrade } from '../../domain/trade.ts';
import { replaceFile } from '../durable-file.ts';
import { segmentRows, type Segment } from '../read-segment.ts';
import { TAPE_KEPT } from './change-detector.ts';
import { shapeOf, STORED_CODECS } from '../../records/field.ts';
import { FILL } from '../../records/fill.ts';

const FILE = 'tape.json';

const decimal = z.string().transform((text) => text as DecimalText);

const tail = z.strictObject({
  /** The last segment whose trades are in it. */
  through: z.string(),
  trades: z.array(
    z.strictObject({
      timeMs: z.int(),
      ...shapeOf(FILL, ['price', 'amount', 'side'], { ...STORED_CODECS, money: decimal, amount: decimal }),
    }),
  ),
});

type TapeTail = z.output<typeof tail>;

/**
 * The newest trades of a market that are recorded, so that the first page of the next process is joined to
 * them; null where none are known.
 */
export function readTape(folder: string): readonly PublicTrade[] | null {
  return readTail(folder)?.trades ?? null;
}

/** Notes the newest trades of a segment down, once. To be called for one segment after the other. */
export async function noteTape(folder: string, segment: Segment<'trades'>): Promise<void> {
  const before = readTail(folder);
  const through = basename(segment.path);
  if (before !== null && before.through >= through) return;
  let trades: readonly PublicTrade[] = before?.trades ?? [];
  for await (const rows of segmentRows(segment)) {
    const news = rows.map(({ timeMs, seenMs, price, amount, side }) => ({
      timeMs: timeMs ?? seenMs,
      price,
      amount,
      side,
    }));
    trades = [...trades, ...news].slice(-TAPE_KEPT);
  }
  if (trades.length > 0) replaceFile(join(folder, FILE), `${JSON.stringify({ through, trades })}\n`);
}

/** One that can not be read counts as none: then the first page is a gap, or the first of all. */
function readTail(folder: string): TapeTail | null {
  const path = join(folder, FILE);
  if (!existsSync(path)) return null;
  try {
    const read = tail.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}
