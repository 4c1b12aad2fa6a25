import { csvLine } from '../domain/csv.ts';
import { SIGNAL_FIELDS, type FileSignal } from './read-signals.ts';

/** Lines of a file of signals, which `readSignals` reads: CSV or JSON. */
export function* signalFileLines(signals: readonly FileSignal[], format: 'csv' | 'jsonl'): Generator<string> {
  if (format === 'csv') yield csvLine(SIGNAL_FIELDS);
  for (const { atMs, strategy, name, payload, id, sentAtMs, source } of signals) {
    const sentAt = sentAtMs === null ? null : timeOf(sentAtMs);
    const line = { time: timeOf(atMs), strategy, name, payload, id, sentAt, source };
    const cells = { ...line, payload: JSON.stringify(payload) };
    yield format === 'jsonl'
      ? `${JSON.stringify(line)}\n`
      : csvLine(SIGNAL_FIELDS.map((field) => cells[field]));
  }
}

const timeOf = (atMs: number): string => new Date(atMs).toISOString();
