import { readStored } from '../domain/stored-json.ts';
import { storedSignalLine } from '../engine/signal-record.ts';
import type { FileSignal } from './read-signals.ts';
import type { JournalLine } from '../mirror/row-pages.ts';

/** A line of the journal about a signal. */
export type SignalLine = ReturnType<typeof signalLineOf>;

/** Returns the content of a line of the kind `signal`. Throws `DATA_UNUSABLE` for a damaged one. */
export function signalLineOf({ seq, subject, json }: JournalLine) {
  return { strategy: subject, ...readStored(storedSignalLine, json, `line ${seq} of the journal`) };
}

/** Signals that strategies were told, as a file of signals has them. */
export function toldSignals(lines: readonly SignalLine[]): readonly FileSignal[] {
  return lines.flatMap((line) => {
    const { strategy, name, id, payload, sentAtMs, source, seenAtMs, code } = line;
    if (code !== 'told') return [];
    const place = `signal ${id} of the session`;
    return [{ atMs: seenAtMs, strategy, name, id, payload, sentAtMs, source, place }];
  });
}
