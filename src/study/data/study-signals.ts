import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { FileSignal } from '../../backtest/read-signals.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { Stretch } from '../stretch.ts';

/**
 * Signals from outside for a study's strategy, as its identity records them, including those of the hold-out.
 */
export const storedSignalSet = z.strictObject({
  count: z.int().min(0),
  /** The times of the first and the last one, in ms since 1970; 0 without any. */
  firstMs: z.int(),
  lastMs: z.int(),
  /** Of what they say and when, whatever file they come from. */
  sha256: z.string(),
});

export type SignalSet = z.output<typeof storedSignalSet>;

/** Signals within a stretch in the order of their times: no run of a study is told others. */
export function cutSignals(signals: readonly FileSignal[], { fromMs, toMs }: Stretch): readonly FileSignal[] {
  return signals
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .toSorted((left, right) => left.atMs - right.atMs)
    .map(named);
}

/** Its place is the same on every machine: what a trial says of it must be, too. */
const named = (signal: FileSignal): FileSignal => ({ ...signal, place: `signal ${signal.id}` });

export function signalSetOf(signals: readonly FileSignal[]): SignalSet {
  const [first, last] = [signals[0], signals.at(-1)];
  const sha256 = createHash('sha256').update(writeSignals(signals)).digest('hex');
  return { count: signals.length, firstMs: first?.atMs ?? 0, lastMs: last?.atMs ?? 0, sha256 };
}

/** Signals as the bytes of a file that workers fetch. */
export function writeSignals(signals: readonly FileSignal[]): Buffer {
  const rows = signals.map(({ atMs, strategy, name, id, payload, sentAtMs, source }) => [
    atMs,
    strategy,
    name,
    id,
    payload,
    sentAtMs,
    source,
  ]);
  return Buffer.from(JSON.stringify(rows));
}

const text = z.string();

const ROWS = z.array(
  z
    .tuple([z.int(), text.nullable(), text.nullable(), text, z.unknown(), z.int().nullable(), text])
    .transform(([atMs, strategy, name, id, payload, sentAtMs, source]) =>
      named({ atMs, strategy, name, id, payload, sentAtMs, source, place: '' }),
    ),
);

/** Reads what `writeSignals` wrote. Throws `DATA_UNUSABLE` for anything else. */
export function readWrittenSignals(bytes: Buffer): readonly FileSignal[] {
  let plain: unknown;
  try {
    plain = JSON.parse(bytes.toString('utf8'));
  } catch {
    plain = null;
  }
  const read = ROWS.safeParse(plain);
  if (read.success) return read.data;
  throw new SarrafError(
    'DATA_UNUSABLE',
    'expected signals from the coordinator of a study, found something else',
  );
}
