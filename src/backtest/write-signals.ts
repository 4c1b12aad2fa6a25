import { csvText } from '../recording/export-file.ts';
import { SIGNAL_FIELDS, type FileSignal } from './read-signals.ts';

/** Lines of a file of signals, which `readSignals` reads: CSV or JSON. */
export function* signalFileLines(signals: readonly FileSignal[], format: 'csv' | 'jsonl'): Generator<string> {
  if (format === 'csv') yield `${SIGNAL_FIELDS.join(',')}\n`;
  for (const { atMs, strategy, name, payload, id, sentAtMs, source } of signals) {
    const sentAt = sentAtMs === null ? null : timeOf(sentAtMs);
    const line = { time: timeOf(atMs), strategy, name, payload, id, sentAt, source };
    const cells = { ...line, payload: JSON.stringify(payload) };
    yield format === 'jsonl'
      ? `${JSON.stringify(line)}\n`
      : `${SIGNAL_FIELDS.map((field) => csvText(cells[field])).join(',')}\n`;
  }
}

const timeOf = (atMs: number): string => new Date(atMs).toISOString();
