import { createInterface } from 'node:readline';
import { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import { isSignalId, SIGNAL_ID_RULE } from '../domain/signal-id.ts';
import { openCsv } from '../recording/open-csv.ts';
import { openText, unreadable } from '../recording/open-text.ts';
import { TimeReader } from '../recording/written-form.ts';

/** A line of a file of signals. */
export interface FileSignal {
  /** Time at which the bot accepts it, in ms since 1970. */
  readonly atMs: number;
  /** Null: each that declares the name. */
  readonly strategy: string | null;
  /** Null: the one that the strategy declares. */
  readonly name: string | null;
  readonly id: string;
  readonly payload: unknown;
  readonly sentAtMs: number | null;
  readonly source: string;
  /** Location of the signal, for messages. */
  readonly place: string;
}

/** Signals of one file; more are for another tool. */
const MOST_SIGNALS = 200_000;

/** Columns of a file of signals. */
export const SIGNAL_FIELDS = ['time', 'strategy', 'name', 'payload', 'id', 'sentAt', 'source'] as const;

const time = z.union([z.string(), z.number()]).transform(String);
const word = z.string().min(1).max(80);

/** A line, whichever way it is written. */
const line = z.strictObject({
  time,
  payload: z.unknown().optional(),
  strategy: word.nullish(),
  name: word.nullish(),
  id: z.string().refine(isSignalId, `expected ${SIGNAL_ID_RULE}`).nullish(),
  sentAt: time.nullish(),
  source: word.nullish(),
});

/** A signal as a program gives it. Times are ms since 1970 or ISO 8601, all of one form. */
export interface BacktestSignal {
  /** Time at which the bot accepts it. */
  readonly time: number | string;
  readonly payload: unknown;
  /** For whom; without it each strategy that declares the name. */
  readonly strategy?: string;
  /** Without it the only one that the strategy declares. */
  readonly name?: string;
  /** Without it the number of the signal in the list. */
  readonly id?: string;
  /** Without it nobody asks how old it is. */
  readonly sentAt?: number | string;
  readonly source?: string;
}

interface Reading {
  readonly path: string;
  readonly times: TimeReader;
  readonly sentTimes: TimeReader;
}

/**
 * Reads a file of signals: CSV with a header, or JSON lines (`.jsonl`), also packed (`.gz`). Each has a
 * `time`, a `payload` as JSON, and a `strategy` or a `name`; it may have `id`, `sentAt` and `source`. Throws
 * `INVALID_FILE` that names the line of what is wrong.
 */
export async function readSignals(path: string): Promise<readonly FileSignal[]> {
  const reading = readingOf(path);
  const isJson = /\.(?:jsonl|ndjson)(?:\.gz)?$/.test(path);
  const signals: FileSignal[] = [];
  try {
    for await (const [number, fields] of isJson ? jsonLines(path) : csvRows(path)) {
      if (signals.length >= MOST_SIGNALS) throw tooMany(path, number);
      signals.push(signalOfLine(reading, number, fields));
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  if (signals.length === 0) throw new SarrafError('INVALID_FILE', `expected signals in ${path}, found none`);
  return signals;
}

/** Reads a list as a file with the same lines. Throws `INVALID_FILE`: `signals:3: …` of the third. */
export function readGivenSignals(given: readonly BacktestSignal[]): readonly FileSignal[] {
  const reading = readingOf('signals');
  if (given.length > MOST_SIGNALS) throw tooMany(reading.path, MOST_SIGNALS + 1);
  return given.map((fields, index) => signalOfLine(reading, index + 1, fields));
}

function readingOf(path: string): Reading {
  return { path, times: new TimeReader(), sentTimes: new TimeReader() };
}

type NumberedFields = readonly [number: number, fields: unknown];

async function* jsonLines(path: string): AsyncGenerator<NumberedFields> {
  const { stream } = openText(path);
  let number = 0;
  for await (const text of createInterface({ input: stream })) {
    number += 1;
    if (text.trim() !== '') yield [number, jsonOf(text, { path, number, what: 'a line' })];
  }
}

async function* csvRows(path: string): AsyncGenerator<NumberedFields> {
  const { header, parts } = await openCsv(path);
  const titles = header ?? [];
  const unknown = titles.find((title) => !SIGNAL_FIELDS.some((field) => field === title));
  if (header === null || unknown !== undefined) {
    const found = unknown === undefined ? 'none' : `"${unknown}"`;
    throw wrong(path, 1, `expected a header of ${SIGNAL_FIELDS.join(', ')}, found ${found}`);
  }
  for await (const rows of parts) {
    for (const { line: number, fields } of rows) {
      const named = titles.flatMap((title, index) => {
        const text = fields[index] ?? '';
        return text === '' ? [] : [[title, text] as const];
      });
      const { payload, ...rest } = Object.fromEntries(named);
      yield [
        number,
        payload === undefined
          ? rest
          : { ...rest, payload: jsonOf(payload, { path, number, what: 'payload' }) },
      ];
    }
  }
}

function jsonOf(
  text: string,
  { path, number, what }: { readonly path: string; readonly number: number; readonly what: string },
): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw wrong(path, number, `expected ${what} as JSON, found ${JSON.stringify(text.slice(0, 60))}`);
  }
}

function signalOfLine(reading: Reading, number: number, fields: unknown): FileSignal {
  const { path, times, sentTimes } = reading;
  const read = line.safeParse(fields);
  if (!read.success) {
    const [issue] = read.error.issues;
    const at = issue?.path.map(String).join('.') ?? '';
    throw wrong(path, number, `${at === '' ? '' : `${at}: `}${issue?.message ?? 'expected a signal'}`);
  }
  const { strategy = null, name = null, sentAt = null, payload } = read.data;
  if (payload === undefined) throw wrong(path, number, 'expected a payload, found none');
  if (strategy === null && name === null)
    throw wrong(path, number, 'expected a strategy or the name of a signal, found neither');
  const at = { path, line: number };
  const timeOf = (reader: TimeReader, text: string): number => {
    const timeMs = reader.read(text, at);
    if (typeof timeMs === 'string') throw wrong(path, number, timeMs);
    return timeMs;
  };
  return {
    atMs: timeOf(times, read.data.time),
    strategy,
    name,
    id: read.data.id ?? `line-${number}`,
    payload,
    sentAtMs: sentAt === null ? null : timeOf(sentTimes, sentAt),
    source: read.data.source ?? 'file',
    place: `${path}:${number}`,
  };
}

const tooMany = (path: string, number: number): SarrafError =>
  wrong(path, number, `expected at most ${MOST_SIGNALS} signals`);

function wrong(path: string, number: number, problem: string): SarrafError {
  return new SarrafError('INVALID_FILE', `${path}:${number}: ${problem}`);
}
