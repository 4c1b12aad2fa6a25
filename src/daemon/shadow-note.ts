import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivateFile } from '../configuration/secret-file.ts';
import { parseUnits, subtractUnits, type Units } from '../domain/money.ts';
import { mirrorPathOf } from '../mirror/mirror-path.ts';
import { MirrorReader } from '../mirror/mirror-reader.ts';
import { LastPrices, strategyStatus, type StrategyFigures } from '../mirror/strategy-status.ts';

/** Folder of all shadows below a data folder; each has a data folder of its own in it. */
const SHADOWS = 'shadows';
const FILE = 'shadow.json';

const shadowNote = z.object({
  /** Name of the strategy that it is compared with. */
  of: z.string(),
  /** Start of the comparison, in ms since 1970. */
  sinceMs: z.number(),
  /** Profits of both at the start, as decimals; null if something held had no price. */
  profits: z.object({ live: z.string().nullable(), shadow: z.string().nullable() }),
});

type ShadowNote = Readonly<z.output<typeof shadowNote>>;

/** Returns the data folder of a shadow. */
export function shadowFolder(dataFolder: string, name: string): string {
  return join(dataFolder, SHADOWS, name);
}

export function writeShadowNote(folder: string, note: ShadowNote): void {
  writePrivateFile(join(folder, FILE), JSON.stringify(note));
}

/** Returns the shadows of a data folder by name, with their notes; those with a readable one. */
export function readShadowNotes(dataFolder: string): ReadonlyMap<string, ShadowNote> {
  const folder = join(dataFolder, SHADOWS);
  if (!existsSync(folder)) return new Map();
  return new Map(
    readdirSync(folder)
      .toSorted()
      .flatMap((name) => {
        const note = readNote(join(folder, name, FILE));
        return note === null ? [] : [[name, note] as const];
      }),
  );
}

/** Profits of a strategy and its shadow since their comparison began, in units; null if one is unknown. */
export interface ShadowProfits {
  readonly currency: string | null;
  readonly live: Units | null;
  readonly shadow: Units | null;
  /** Profit of the shadow less that of the strategy. */
  readonly ahead: Units | null;
}

/** Returns the profits of a shadow and its strategy by their mirrors. */
export function shadowProfits(
  { of, profits }: Pick<ShadowNote, 'of' | 'profits'>,
  name: string,
  { live, own }: { readonly live: MirrorReader; readonly own: MirrorReader },
): ShadowProfits {
  const [before, after] = [profitIn(live, of), profitIn(own, name)];
  const ofLive = since(before, profits.live);
  const ofShadow = since(after, profits.shadow);
  const isComparable = before?.currency === after?.currency;
  return {
    currency: before?.currency ?? null,
    live: ofLive,
    shadow: ofShadow,
    ahead: ofLive === null || ofShadow === null || !isComparable ? null : subtractUnits(ofShadow, ofLive),
  };
}

function profitIn(mirror: MirrorReader, strategy: string): StrategyFigures | null {
  const record = mirror.strategies().find(({ name }) => name === strategy);
  if (record === undefined) return null;
  return strategyStatus(record, null, { prices: new LastPrices(mirror.markets) }).figures;
}

function since(made: StrategyFigures | null, before: string | null): Units | null {
  if (made === null || made.profit === null || before === null) return null;
  return subtractUnits(parseUnits(made.profit), parseUnits(before));
}

/** Calls a function with each shadow of a data folder that has a mirror, and with that. */
export function withShadows<Result>(
  dataFolder: string,
  read: (name: string, note: ShadowNote, own: MirrorReader) => Result,
): readonly Result[] {
  return [...readShadowNotes(dataFolder)].flatMap(([name, note]) => {
    const path = mirrorPathOf(shadowFolder(dataFolder, name));
    if (!existsSync(path)) return [];
    using own = new MirrorReader(path);
    return [read(name, note, own)];
  });
}

function readNote(path: string): ShadowNote | null {
  try {
    return shadowNote.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}
