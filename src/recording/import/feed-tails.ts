import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { DecimalText } from '../../domain/decimal-text.ts';
import { checksum, replaceFile } from '../durable-file.ts';
import type { Manifest } from '../manifest.ts';
import type { FeedTail } from './feed-book.ts';

/** Ends of feeds that are kept: the last ones. */
const MOST_TAILS = 5;

const level = z
  .tuple([z.string(), z.string()])
  .transform(([price, amount]) => [price, amount] as [DecimalText, DecimalText]);
const stored = z.array(z.strictObject({ lastId: z.int(), bids: z.array(level), asks: z.array(level) }));

/**
 * The ends of the feeds that were imported last; none where they can not be read, since then a file continues
 * nothing.
 */
export async function readTails(folder: string, manifest: Manifest | null): Promise<readonly FeedTail[]> {
  const tail = manifest?.tail ?? null;
  if (tail === null) return [];
  const path = join(folder, tail.file);
  try {
    if ((await checksum(path)) !== tail.sha256) return [];
    const parsed = stored.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return parsed.success ? parsed.data : [];
  } catch {
    return [];
  }
}

/** Writes the ends of feeds with one more, under a name that the manifest is to take up. */
export async function writeTails(options: {
  readonly folder: string;
  readonly generation: number;
  readonly before: readonly FeedTail[];
  readonly tail: FeedTail;
}): Promise<NonNullable<Manifest['tail']>> {
  const { folder, generation, before, tail } = options;
  const tails = [...before.filter(({ lastId }) => lastId !== tail.lastId), tail].slice(-MOST_TAILS);
  const file = `tail.${generation}.json`;
  replaceFile(join(folder, file), JSON.stringify(tails));
  return { file, sha256: await checksum(join(folder, file)) };
}
