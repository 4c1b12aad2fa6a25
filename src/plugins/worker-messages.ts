import type { MarketNames } from '../domain/market-symbol.ts';
import type { Timeframe } from '../domain/candle.ts';
import type { OtherVenueAges } from '../strategy/subscriptions.ts';
import type { ParamProblem } from '../strategy/runner-setup.ts';
import type { ClosedCandle, StrategyEvent } from '../strategy/strategy-event.ts';
import type { StrategyFault, StrategyPort, StrategyLogLine } from '../strategy/strategy-port.ts';
import { type PlotPoint, MOST_POINTS, checkedSeries } from '../strategy/plots.ts';
import type { SignalObjection } from '../strategy/signal.ts';
import type { UniverseWish } from '../strategy/universe-rules.ts';
import { english, sentence } from '../language/sentence.ts';
import { fieldsOf } from '../strategy/fields.ts';
import { type SarrafError, invalidStrategy } from '../domain/errors.ts';

/** Start data of a strategy's thread. It gets nothing else of the environment or the configuration. */
export interface WorkerSetup {
  readonly memory: SharedArrayBuffer;
  /** Folder of compiled code; null if the process stores none. */
  readonly compileCache: string | null;
  readonly file: string;
  /** Path of its file, as messages show it. */
  readonly shownFile: string;
  /** Name of the instance; null for the strategy's own name. */
  readonly name: string | null;
  readonly market: string;
  /** Rule for the markets in which it runs instead of `market`; null for none. */
  readonly universe: UniverseWish | null;
  /** Quote currencies, from which the thread makes its market names, since functions can not be sent. */
  readonly quotes: MarketNames['quotes'];
  readonly timeframe: Timeframe;
  readonly params: Readonly<Record<string, unknown>>;
  /** Markets of the exchange; null if any market is accepted. */
  readonly knownMarkets: readonly string[] | null;
  /** Other venues of the configuration; null if any name is accepted. */
  readonly venues: OtherVenueAges | null;
}

/** Message after setup: the strategy is ready, or why it is not. */
export type Loaded =
  | {
      readonly kind: 'problem';
      readonly message: string;
      readonly line: number | null;
      /** Parameters that the strategy refuses; null if the problem is another. */
      readonly params: readonly ParamProblem[] | null;
    }
  | {
      readonly kind: 'ready';
      readonly name: string;
      readonly subscriptions: readonly unknown[];
      readonly params: unknown;
      readonly trailing: unknown;
      /** Bars for the warm-up of each subscription; 0 for those without candles. */
      readonly warmUps: readonly number[];
      readonly wants: readonly string[];
      /** First handler of each route, such as `on.bars` for `candles BTCIRT 1h`. */
      readonly handlers: readonly (readonly [route: string, handler: string])[];
      readonly state: string;
    };

/** A question to the engine's view: the method and its arguments. */
export type Query = readonly [method: string, ...args: string[]];

/** A signal whose payload the strategy's schema must check. */
export type CheckedSignal = Parameters<StrategyPort['objectionTo']>[0];

/** One call of a handler, as it is sent to the thread. */
export interface WorkerCall {
  /** Event to handle; null if only candles are fed to indicators. */
  readonly event: StrategyEvent | null;
  /** True if the event is applied without calling the strategy. */
  readonly feeds: boolean;
  readonly nowMs: number;
  /** Markets that its universes follow, applied before the candles; null if the thread has them already. */
  readonly follows: readonly (readonly [universe: string, markets: readonly string[]])[] | null;
  /** True if the strategy's plots are drawn, and so must be sent back. */
  readonly draws: boolean;
  /** Past candles, applied before the event. */
  readonly candles: readonly ClosedCandle[];
  /** State to restore first, as JSON; null to keep the current one. */
  readonly restore: string | null;
  /** True if the strategy resumes after a failure. */
  readonly clears: boolean;
  /** Signal to check before it is delivered; null for none. */
  readonly signal: CheckedSignal | null;
  /** Current values of the data that the handler read in earlier calls. */
  readonly reads: readonly (readonly [key: string, value: unknown])[];
  /** Keys of reads whose value is the same object as at the last call. */
  readonly same: readonly string[];
  /** Keys of reads whose value is in the event itself, and so is sent only once. */
  readonly inEvent: readonly string[];
}

/** Returns the data of an event that a handler can also read from the view; null if there is none. */
export function eventData(event: StrategyEvent | null): object | null {
  if (event?.kind === 'book') return event.book;
  if (event?.kind === 'margin') return event.seen;
  if (event?.kind === 'universe') return event.universe;
  return event?.kind === 'stats' ? event.stats : null;
}

/** Result of a call, as the thread sends it. */
export interface WorkerAnswer {
  /** State as JSON; null if it has not changed. */
  readonly state: string | null;
  readonly intents: readonly unknown[];
  readonly fault: StrategyFault | null;
  readonly log: readonly StrategyLogLine[];
  readonly plots: readonly PlotPoint[];
  /** Reason that the checked signal must not be delivered; null if it may be, or if none was checked. */
  readonly objection: SignalObjection | null;
}

/** Reason that a thread ended by itself. */
export interface WorkerEnd {
  readonly message: string;
  readonly line: number | null;
  readonly stack: string | null;
}

export const keyOf = (read: Query): string => read.join(' ');

/** Maximum number of lines from one call: one more than may be logged, which counts the dropped ones. */
const MOST_LINES = 21;
const LONGEST_TEXT = 600;
const LONGEST_FIELDS = 1_200;
const LONGEST_STACK = 4_000;
const HANDLER = /^on\.[A-Za-z][A-Za-z0-9_]{0,31}$/;

/** Returns the log lines from a thread; invalid ones are left out. */
export function checkedLog(lines: unknown): readonly StrategyLogLine[] {
  if (!Array.isArray(lines)) return [];
  return lines.slice(0, MOST_LINES).flatMap((line: unknown) => {
    const { text, fields } = Object(line) as Readonly<Record<string, unknown>>;
    if (typeof text !== 'string') return [];
    const isPlain = typeof fields === 'object' && fields !== null && !Array.isArray(fields);
    const isShort = isPlain && JSON.stringify(fields).length <= LONGEST_FIELDS;
    return [
      { text: text.slice(0, LONGEST_TEXT), fields: isShort ? (fields as StrategyLogLine['fields']) : null },
    ];
  });
}

/** Returns the plotted values from a thread; invalid ones are left out. */
export function checkedPlots(points: unknown): readonly PlotPoint[] {
  if (!Array.isArray(points)) return [];
  return points.slice(0, MOST_POINTS).flatMap((point: unknown) => {
    const { series, atMs, value } = fieldsOf(point);
    const { market, name, pane, style, color } = fieldsOf(series);
    const isValue = value === null || Number.isFinite(value);
    if (typeof market !== 'string' || !isValue || !Number.isSafeInteger(atMs)) return [];
    try {
      const options = { pane: pane ?? undefined, style, color: color ?? undefined };
      const checked = checkedSeries({ market, name, options });
      return [{ series: checked, atMs: atMs as number, value: value as number | null }];
    } catch {
      return [];
    }
  });
}

/** Returns a thread's objection to a signal, checked; null if the signal is to be delivered. */
export function checkedObjection(answer: unknown): SignalObjection | null {
  if (answer === null) return null;
  const { outcome, code, reason } = fieldsOf(answer);
  const isReady = outcome !== 'dropped';
  return {
    outcome: isReady ? 'refused' : 'dropped',
    code: isReady ? 'invalid' : code === 'failed' ? 'failed' : 'not-ready',
    reason:
      typeof reason === 'string' ? reason.slice(0, LONGEST_TEXT) : english(sentence('strategy-no-reason')),
  };
}

/** Returns a fault from a thread, checked; `of` has the handler that was called and the file. */
export function checkedFault(
  fault: unknown,
  of: { readonly handler: string | null; readonly file: string },
): StrategyFault {
  const { handler, message, line, stack } = Object(fault) as Readonly<Record<string, unknown>>;
  return {
    handler: typeof handler === 'string' && HANDLER.test(handler) ? handler : of.handler,
    file: of.file,
    message:
      typeof message === 'string' ? message.slice(0, LONGEST_TEXT) : english(sentence('strategy-no-message')),
    line: typeof line === 'number' && Number.isInteger(line) && line > 0 ? line : null,
    stack: typeof stack === 'string' ? stack.slice(0, LONGEST_STACK) : null,
  };
}

/** Kinds of message from a strategy's thread; `nothing` if there is none yet. */
export const SENT = { nothing: 0, answer: 1, question: 2, end: 3 } as const;

/** Maximum number of bytes of one message, enough for the largest state. Unused memory costs nothing. */
const MOST_BYTES = 8_388_608;

/** Maximum number of bytes of the last message: its reason and stack, of six bytes a character. */
const MOST_END_BYTES = 32_768;

const STATE = 0;
/** Index of the length of the thread's message; `SENT_LENGTH` is that of the main thread's. */
const LENGTH = 1;
const ANSWERED = 2;
const SENT_LENGTH = 3;
const WORDS = 4;
const END_OFFSET = WORDS * 4 + 2 * MOST_BYTES;
const MEMORY_BYTES = END_OFFSET + 4 + MOST_END_BYTES;

/** Length that stands for a message that did not fit. */
const NOT_HERE = -1;

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/**
 * Memory shared by the main thread and a strategy's thread: some words to wait at, and space for one message
 * in each direction. Messages are JSON, which takes half the time of a port's copy. A strategy can write
 * anything there, so the main thread copies a message before reading it, and checks all of it.
 */
export class SharedLine {
  readonly memory: SharedArrayBuffer;
  private readonly words: Int32Array;
  private readonly bytes: Uint8Array;
  private readonly sentBytes: Uint8Array;
  /** Length of the last message. It has its own space, since an unread answer may still be there. */
  private readonly endLength: Int32Array;
  private readonly endBytes: Uint8Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(MEMORY_BYTES)) {
    this.memory = memory;
    this.words = new Int32Array(memory, 0, WORDS);
    this.bytes = new Uint8Array(memory, WORDS * 4, MOST_BYTES);
    this.sentBytes = new Uint8Array(memory, WORDS * 4 + MOST_BYTES, MOST_BYTES);
    this.endLength = new Int32Array(memory, END_OFFSET, 1);
    this.endBytes = new Uint8Array(memory, END_OFFSET + 4, MOST_END_BYTES);
  }

  /** Main thread: removes the current message. */
  clear(): void {
    Atomics.store(this.words, STATE, SENT.nothing);
  }

  /** Main thread: waits for a message, for at most `limitMs`. Returns its kind. */
  wait(limitMs: number): number {
    Atomics.wait(this.words, STATE, SENT.nothing, limitMs);
    return this.kind;
  }

  /** Kind of the current message. After `clear` it is still `end` if the thread has ended. */
  get kind(): number {
    const kind = Atomics.load(this.words, STATE);
    return kind === SENT.nothing && Atomics.load(this.endLength, 0) !== 0 ? SENT.end : kind;
  }

  /** Main thread: reads the message. Throws `INVALID_STRATEGY` if it is not JSON. */
  read(): unknown {
    const length = Atomics.load(this.words, LENGTH);
    if (length < 0 || length > this.bytes.length) throw unreadable();
    try {
      return decode(this.bytes, length);
    } catch {
      throw unreadable();
    }
  }

  /** Main thread: reads the thread's last message; null if there is none, or if it is not JSON. */
  readEnd(): unknown {
    const length = Atomics.load(this.endLength, 0);
    if (length <= 0 || length > this.endBytes.length) return null;
    try {
      return decode(this.endBytes, length);
    } catch {
      return null;
    }
  }

  /** Main thread: sends plain data to the thread. Returns false if it must be sent by the port. */
  trySend(message: unknown): boolean {
    const { read, written } = encode(JSON.stringify(message), this.sentBytes);
    Atomics.store(this.words, SENT_LENGTH, read === 0 ? NOT_HERE : written);
    return read !== 0;
  }

  /** Thread: returns the data that was sent; null if it was sent by the port. */
  received(): unknown {
    const length = Atomics.load(this.words, SENT_LENGTH);
    return length === NOT_HERE ? null : decode(this.sentBytes, length);
  }

  /** Main thread: signals that the answer to a question was sent. */
  answered(): void {
    Atomics.add(this.words, ANSWERED, 1);
    Atomics.notify(this.words, ANSWERED);
  }

  /** Thread: sends a message. Throws `INVALID_STRATEGY` if it is too long. */
  post(kind: number, message: unknown): void {
    const { read, written } = encode(JSON.stringify(message), this.bytes);
    if (read === 0) throw invalidStrategy(`expected an answer of at most ${MOST_BYTES} bytes`);
    Atomics.store(this.words, LENGTH, written);
    Atomics.store(this.words, STATE, kind);
    Atomics.notify(this.words, STATE);
  }

  /** Thread: sends its last message, of at most 32,768 bytes. */
  postEnd(message: unknown): void {
    Atomics.store(this.endLength, 0, encode(JSON.stringify(message), this.endBytes).written);
    // An unread answer stays the current message; a waiting main thread is woken.
    Atomics.compareExchange(this.words, STATE, SENT.nothing, SENT.end);
    Atomics.notify(this.words, STATE);
  }

  /** Thread: sends a question and waits for the answer. */
  ask(question: unknown): void {
    const before = Atomics.load(this.words, ANSWERED);
    this.post(SENT.question, question);
    Atomics.wait(this.words, ANSWERED, before);
  }
}

/** Encodes a text and returns the lengths read and written; zero if not all of it fits. */
function encode(text: string, into: Uint8Array): { readonly read: number; readonly written: number } {
  const { read, written } = ENCODER.encodeInto(text, into);
  return read === text.length ? { read, written } : { read: 0, written: 0 };
}

function decode(bytes: Uint8Array, length: number): unknown {
  // `TextDecoder` refuses shared memory, so the bytes are copied.
  return JSON.parse(DECODER.decode(bytes.slice(0, length)));
}

const unreadable = (): SarrafError =>
  invalidStrategy('expected an answer as JSON from its thread, was something else');
