import { createInterface } from 'node:readline';
import { z } from 'zod';
import { present, type SarrafError, invalidFile } from '../domain/errors.ts';
import { isSignalId, SIGNAL_ID_RULE } from '../domain/figure-name.ts';
import { openCsv, openText, unreadable } from '../recording/open-text.ts';
import { TimeReader } from '../recording/written-form.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import type { SignalCommand } from '../engine/engine-event.ts';
import { inDigits } from '../language/fact.ts';
import { runWarning, type RunWarning } from './backtest-run.ts';
import { csvLine } from '../domain/csv.ts';
import { readStored } from '../domain/stored-json.ts';
import { storedSignalLine } from '../engine/signal-record.ts';
import type { JournalLine } from '../mirror/row-pages.ts';

export interface FileSignal {
  /** Time at which the bot accepts it, in ms since 1970. */
  readonly atMs: number;
  /** Strategy that receives it; null: each that declares the name. */
  readonly strategy: string | null;
  /** Name of the signal; null: the only one that the strategy declares. */
  readonly name: string | null;
  readonly id: string;
  readonly payload: unknown;
  readonly sentAtMs: number | null;
  readonly source: string;
  /** Location of the signal, for messages. */
  readonly place: string;
}

/** Maximum number of signals in one file. */
const MOST_SIGNALS = 200_000;

/** Columns of a file of signals. */
const SIGNAL_FIELDS = ['time', 'strategy', 'name', 'payload', 'id', 'sentAt', 'source'] as const;

const time = z.union([z.string(), z.number()]).transform(String);
const word = z.string().min(1).max(80);

/** Schema of a line, in either format. */
const line = z.strictObject({
  /** Time at which the bot accepts it. */
  time,
  payload: z.unknown().optional(),
  /** Strategy that receives it; default: each that declares the name. */
  strategy: word.nullish(),
  /** Name of the signal; default: the only one that the strategy declares. */
  name: word.nullish(),
  /** Id of the signal; default: `line-` and its number in the list. */
  id: z.string().refine(isSignalId, `expected ${SIGNAL_ID_RULE}`).nullish(),
  /** Time at which it was sent; without it its age is not checked. */
  sentAt: time.nullish(),
  source: word.nullish(),
});

/** Signal as a program gives it. Times are ms since 1970 or ISO 8601, all in one form. */
export type BacktestSignal = Readonly<z.input<typeof line>>;

interface Reading {
  readonly path: string;
  readonly times: TimeReader;
  readonly sentTimes: TimeReader;
}

/**
 * Reads a file of signals: CSV with a header, or JSON lines (`.jsonl`), also compressed (`.gz`). Each has a
 * `time`, a `payload` as JSON, and a `strategy` or a `name`; `id`, `sentAt` and `source` are optional. Throws
 * `INVALID_FILE`, which names the line of the error.
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
  if (signals.length === 0) throw invalidFile(`expected signals in ${path}, found none`);
  return signals;
}

/** Reads a list like the lines of a file. Throws `INVALID_FILE`, with `signals:3: …` for the third one. */
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
    if (text.trim() !== '') yield [number, jsonOf(text, path, number, 'a line')];
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
        payload === undefined ? rest : { ...rest, payload: jsonOf(payload, path, number, 'payload') },
      ];
    }
  }
}

function jsonOf(text: string, path: string, number: number, what: string): unknown {
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
  return invalidFile(`${path}:${number}: ${problem}`);
}

type Instances = readonly Pick<StrategyInstanceSettings, 'runner'>[];

/**
 * Returns the signals of a file for the strategies of a run. A signal without a strategy goes to each that
 * declares its name; one without a name is the only one that its strategy declares. Throws `INVALID_FILE` for
 * a signal that no strategy declares.
 */
export function signalsFor(signals: readonly FileSignal[], instances: Instances): readonly DatedSignal[] {
  const declared = instances.flatMap(({ runner }) =>
    runner.subscriptions.flatMap((wanted) =>
      wanted.kind === 'signal' ? [{ strategy: runner.name, name: wanted.name }] : [],
    ),
  );
  return signals.flatMap(({ atMs, strategy, name, id, payload, sentAtMs, source, place }) => {
    const fitting = declared.filter(
      (one) => (strategy === null || one.strategy === strategy) && (name === null || one.name === name),
    );
    if (fitting.length === 0 || (name === null && fitting.length > 1))
      throw invalidFile(`${place}: ${expectedText({ strategy, name }, declared)}`);
    return fitting.map((one) => ({
      atMs,
      command: { kind: 'signal', ...one, id, payload, sentAtMs, source },
    }));
  });
}

function expectedText(
  { strategy, name }: Pick<FileSignal, 'strategy' | 'name'>,
  declared: readonly { readonly strategy: string; readonly name: string }[],
): string {
  const found = `found ${strategy === null ? 'no strategy' : `the strategy ${strategy}`} and ${name === null ? 'no name' : `the name ${name}`}`;
  const names = declared.map((one) => `${one.strategy} ${one.name}`).join(', ');
  return names === ''
    ? `expected a run whose strategies declare signals, ${found}`
    : `expected one of the declared signals (${names}), ${found}`;
}

/** Signal of a run, with the time at which the bot accepts it. */
export interface DatedSignal {
  readonly atMs: number;
  readonly command: SignalCommand;
}

/** Queue of the signals of a run in order of time. */
export class DatedSignals {
  private readonly signals: readonly DatedSignal[];
  /** Time of the next signal in ms since 1970; infinity if there is none. Read at each bar. */
  nextMs = Number.POSITIVE_INFINITY;
  private next = -1;

  /** Omits signals before `fromMs`, the start of the run. */
  constructor(signals: readonly DatedSignal[], fromMs: number) {
    this.signals = signals
      .filter(({ atMs }) => atMs >= fromMs)
      .toSorted((left, right) => left.atMs - right.atMs);
    this.goOn();
  }

  /** Removes and returns the signals that are due by a time, as commands for the engine. */
  drainUntil(atMs: number): readonly SignalCommand[] {
    const due: SignalCommand[] = [];
    while (this.nextMs <= atMs) {
      const { command, atMs: dueMs } = present(this.signals[this.next], 'the signal that is next');
      const { sentAtMs } = command;
      due.push({ ...command, ageMs: sentAtMs === null ? 0 : dueMs - sentAtMs });
      this.goOn();
    }
    return due;
  }

  private goOn(): void {
    this.next += 1;
    this.nextMs = this.signals[this.next]?.atMs ?? Number.POSITIVE_INFINITY;
  }
}

/** Returns warnings about the signals of a run: those outside of it, and strategies that get none. */
export function signalWarnings(
  signals: readonly DatedSignal[],
  of: {
    readonly instances: readonly Pick<StrategyInstanceSettings, 'runner'>[];
    readonly fromMs: number;
    readonly toMs: number;
  },
): readonly RunWarning[] {
  const outside = signals.filter(({ atMs }) => atMs < of.fromMs || atMs > of.toMs).length;
  const deaf = of.instances.flatMap(({ runner: { name, subscriptions } }) =>
    subscriptions.some(({ kind }) => kind === 'signal') &&
    !signals.some(({ command }) => command.strategy === name)
      ? [runWarning('warning.noSignals', { strategy: name, option: '--signals' })]
      : [],
  );
  return [
    ...(outside === 0
      ? []
      : [
          runWarning('warning.signalsOutside', {
            outside: inDigits(outside),
            all: inDigits(signals.length),
          }),
        ]),
    ...deaf,
  ];
}

/** Yields the lines of a file of signals, as CSV or JSON, which `readSignals` reads. */
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

/** Journal line about a signal. */
export type SignalLine = ReturnType<typeof signalLineOf>;

/** Returns the content of a journal line of the kind `signal`. Throws `DATA_UNUSABLE` for a damaged line. */
export function signalLineOf({ seq, subject, json }: JournalLine) {
  return { strategy: subject, ...readStored(storedSignalLine, json, `line ${seq} of the journal`) };
}

/** Returns the delivered signals in the form of a file of signals. */
export function deliveredSignals(lines: readonly SignalLine[]): readonly FileSignal[] {
  return lines.flatMap((line) => {
    const { strategy, name, id, payload, sentAtMs, source, seenAtMs, code } = line;
    if (code !== 'told') return [];
    const place = `signal ${id} of the session`;
    return [{ atMs: seenAtMs, strategy, name, id, payload, sentAtMs, source, place }];
  });
}
