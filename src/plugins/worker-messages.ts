import type { MarketNames } from '../domain/market-symbol.ts';
import type { Timeframe } from '../domain/candle.ts';
import type { ParamProblem } from '../strategy/runner-setup.ts';
import type { ClosedCandle, StrategyEvent } from '../strategy/strategy-event.ts';
import type { StrategyFault, StrategyPort, StrategyLogLine } from '../strategy/strategy-port.ts';
import { type PlotPoint, MOST_POINTS, checkedSeries } from '../strategy/plots.ts';
import type { SignalObjection } from '../strategy/signal.ts';
import type { UniverseWish } from '../strategy/universe-rules.ts';
import { english, sentence } from '../language/sentence.ts';
import { fieldsOf } from '../strategy/fields.ts';
import { SarrafError } from '../domain/errors.ts';

/** Start data of a strategy's thread. It gets nothing else of the environment or the configuration. */
export interface WorkerSetup {
  readonly memory: SharedArrayBuffer;
  /** The folder of compiled code; null where the process keeps none. */
  readonly compileCache: string | null;
  readonly file: string;
  /** Its file, as messages show it. */
  readonly shownFile: string;
  /** Null: the strategy's own. */
  readonly name: string | null;
  readonly market: string;
  /** The markets that it runs in, in place of `market`; null: that one. */
  readonly universe: UniverseWish | null;
  /** The quote currencies, by which the thread makes its own market names: functions can not be sent. */
  readonly quotes: MarketNames['quotes'];
  readonly timeframe: Timeframe;
  readonly params: Readonly<Record<string, unknown>>;
  /** Null: any market is accepted. */
  readonly knownMarkets: readonly string[] | null;
}

/** The message that the strategy is set up, or why it is not. */
export type Loaded =
  | {
      readonly kind: 'problem';
      readonly message: string;
      readonly line: number | null;
      /** The parameters that it refuses, where that is the problem. */
      readonly params: readonly ParamProblem[] | null;
    }
  | {
      readonly kind: 'ready';
      readonly name: string;
      readonly subscriptions: readonly unknown[];
      readonly params: unknown;
      readonly trailing: unknown;
      /** Of each subscription; 0 where it is not of candles. */
      readonly warmUps: readonly number[];
      readonly wants: readonly string[];
      /** Handler that each route calls first, such as `on.bars` for `candles BTCIRT 1h`. */
      readonly handlers: readonly (readonly [route: string, handler: string])[];
      readonly state: string;
    };

/** A question to the engine's view: the method and its arguments. */
export type Query = readonly [method: string, ...args: string[]];

/** A signal whose payload the schema of the strategy is asked about. */
export type CheckedSignal = Parameters<StrategyPort['objectionTo']>[0];

/** One call of a handler. */
export interface WorkerCall {
  /** Null: only indicators are fed. */
  readonly event: StrategyEvent | null;
  /** True if the event is applied without asking the strategy. */
  readonly feeds: boolean;
  readonly nowMs: number;
  /** Markets that its universes follow, before the candles; null where it knows them. */
  readonly follows: readonly (readonly [universe: string, markets: readonly string[]])[] | null;
  /** True if its plots are drawn. */
  readonly draws: boolean;
  /** Candles of the past, before the event. */
  readonly candles: readonly ClosedCandle[];
  /** A state to continue from; null: its current one. */
  readonly restore: string | null;
  /** True if it continues after a failure. */
  readonly clears: boolean;
  /** Signal to check before it is delivered; null: none. */
  readonly signal: CheckedSignal | null;
  /** Current values of the data that the handler read in earlier calls. */
  readonly reads: readonly (readonly [key: string, value: unknown])[];
  /** Keys of that whose value is the same object as at the last call. */
  readonly same: readonly string[];
  /** Keys of that whose value the event itself carries: it is sent once. */
  readonly inEvent: readonly string[];
}

/** Data of an event that a handler can also look at; null where there is none. */
export function eventData(event: StrategyEvent | null): object | null {
  if (event?.kind === 'book') return event.book;
  if (event?.kind === 'margin') return event.seen;
  if (event?.kind === 'universe') return event.universe;
  return event?.kind === 'stats' ? event.stats : null;
}

/** The outcome of a call. */
export interface WorkerAnswer {
  /** As JSON; null where it is the same as before. */
  readonly state: string | null;
  readonly intents: readonly unknown[];
  readonly fault: StrategyFault | null;
  readonly log: readonly StrategyLogLine[];
  readonly plots: readonly PlotPoint[];
  /** Reason not to deliver the checked signal; null if it may be delivered, or none was checked. */
  readonly objection: SignalObjection | null;
}

/** Reason that a thread ended by itself. */
export interface WorkerEnd {
  readonly message: string;
  readonly line: number | null;
  readonly stack: string | null;
}

export function keyOf(read: Query): string {
  return read.join(' ');
}

/** A few more than a call may log: the one that says how many were left out. */
const MOST_LINES = 21;
const LONGEST_TEXT = 600;
const LONGEST_FIELDS = 1_200;
const LONGEST_STACK = 4_000;
const HANDLER = /^on\.[A-Za-z][A-Za-z0-9_]{0,31}$/;

/** Lines of a log as they come from a thread: what is none is left out. */
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

/** Plotted values as they come from a thread: what is none is left out. */
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

/** A fault as it comes from a thread; `of` says what it was asked for. */
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

/** Kind of message that the strategy's thread has put there, or nothing yet. */
export const SENT = { nothing: 0, answer: 1, question: 2, end: 3 } as const;

/**
 * Bytes of one message: a state and intents at their bounds fit. The system allots memory only where it is
 * written.
 */
const MOST_BYTES = 8_388_608;

/** Bytes of the last message: a reason of 1,000 characters and a stack of 4,000, each six bytes at most. */
const MOST_END_BYTES = 32_768;

const STATE = 0;
/** Of what the thread has said, and of what the main thread has passed. */
const LENGTH = 1;
const ANSWERED = 2;
const SENT_LENGTH = 3;
const WORDS = 4;
const END_OFFSET = WORDS * 4 + 2 * MOST_BYTES;
const MEMORY_BYTES = END_OFFSET + 4 + MOST_END_BYTES;

/** The length of what did not fit. */
const NOT_HERE = -1;

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/**
 * Memory shared by the main thread and the thread of one strategy: a few words to wait at, and room for one
 * message each way. A message is JSON, at half the time of a port's copy. A strategy can write anything
 * there, so the main thread copies a message before reading it, and checks all of it.
 */
export class SharedLine {
  readonly memory: SharedArrayBuffer;
  private readonly words: Int32Array;
  private readonly bytes: Uint8Array;
  private readonly sentBytes: Uint8Array;
  /** Length of the last message, which has room of its own: an answer may wait to be read when it comes. */
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

  /** On the main thread: forgets the last message. */
  clear(): void {
    Atomics.store(this.words, STATE, SENT.nothing);
  }

  /** On the main thread: waits for a message, for `limitMs` at most. Answers its kind. */
  wait(limitMs: number): number {
    Atomics.wait(this.words, STATE, SENT.nothing, limitMs);
    return this.kind;
  }

  /** The kind of the last message. The thread's end is not forgotten with the message before it. */
  get kind(): number {
    const kind = Atomics.load(this.words, STATE);
    return kind === SENT.nothing && Atomics.load(this.endLength, 0) !== 0 ? SENT.end : kind;
  }

  /** On the main thread: reads the message. Throws `INVALID_STRATEGY` when it is no JSON. */
  read(): unknown {
    const length = Atomics.load(this.words, LENGTH);
    if (length < 0 || length > this.bytes.length) throw unreadable();
    try {
      return decode(this.bytes, length);
    } catch {
      throw unreadable();
    }
  }

  /** On the main thread: reads the thread's last message; null when there is none that is JSON. */
  readEnd(): unknown {
    const length = Atomics.load(this.endLength, 0);
    if (length <= 0 || length > this.endBytes.length) return null;
    try {
      return decode(this.endBytes, length);
    } catch {
      return null;
    }
  }

  /**
   * On the main thread: passes plain data to the thread. False where it does not fit and has to go by the
   * port.
   */
  trySend(message: unknown): boolean {
    const { read, written } = encode(JSON.stringify(message), this.sentBytes);
    Atomics.store(this.words, SENT_LENGTH, read === 0 ? NOT_HERE : written);
    return read !== 0;
  }

  /** In the thread: what was passed; null where it is in the port. */
  received(): unknown {
    const length = Atomics.load(this.words, SENT_LENGTH);
    return length === NOT_HERE ? null : decode(this.sentBytes, length);
  }

  /** On the main thread: marks that the answer to a question was passed. */
  answered(): void {
    Atomics.add(this.words, ANSWERED, 1);
    Atomics.notify(this.words, ANSWERED);
  }

  /** In the thread: sends a message. Throws `INVALID_STRATEGY` when it is too long. */
  post(kind: number, message: unknown): void {
    const { read, written } = encode(JSON.stringify(message), this.bytes);
    if (read === 0)
      throw new SarrafError('INVALID_STRATEGY', `expected an answer of at most ${MOST_BYTES} bytes`);
    Atomics.store(this.words, LENGTH, written);
    Atomics.store(this.words, STATE, kind);
    Atomics.notify(this.words, STATE);
  }

  /** In the thread: sends its last message, of at most 32,768 bytes. */
  postEnd(message: unknown): void {
    Atomics.store(this.endLength, 0, encode(JSON.stringify(message), this.endBytes).written);
    // An answer that waits stays the message to read; who waits for one is woken.
    Atomics.compareExchange(this.words, STATE, SENT.nothing, SENT.end);
    Atomics.notify(this.words, STATE);
  }

  /** In the thread: asks, and waits for the answer. */
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
  // A decoder refuses memory that is shared.
  return JSON.parse(DECODER.decode(bytes.slice(0, length)));
}

function unreadable(): SarrafError {
  return new SarrafError(
    'INVALID_STRATEGY',
    'expected an answer as JSON from its thread, was something else',
  );
}
