import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { SarrafError } from '../domain/errors.ts';
import { english, sentence } from '../language/sentence.ts';
import {
  SENT,
  SharedLine,
  type Loaded,
  type Query,
  type WorkerAnswer,
  type WorkerCall,
  type WorkerEnd,
  type WorkerSetup,
  keyOf,
  eventData,
} from './worker-messages.ts';
import { ownModule } from './own-files.ts';
import type { EngineView, StrategyEvent, ClosedCandle } from '../strategy/strategy-event.ts';
import type { CandleSubscription, Subscription } from '../strategy/subscriptions.ts';

/** Limits of a strategy in a thread of its own. */
export interface ThreadLimits {
  /** For one call of a handler. */
  readonly handlerMs: number;
  /** For loading its file and setting it up. */
  readonly loadMs: number;
  /** Of the heap of JavaScript. */
  readonly memoryMb: number;
}

const YOUNG_MB = 32;
const STACK_MB = 4;

/**
 * A wait is taken in slices, and each counts for no more than its length: a process that is stopped for a
 * minute has not let its strategies think for that long.
 */
const SLICE_MS = 50;

/** Polls of the line before the main thread sleeps: most answers come within microseconds. */
const SPINS = 200;

/** Most questions of one call; more is a loop. */
const MOST_QUESTIONS = 10_000;

/** Characters of a line that a strategy prints, and lines of one second. */
const LONGEST_LINE = 500;
const LINES_A_SECOND = 20;

export interface ThreadOptions {
  readonly setup: Omit<WorkerSetup, 'memory' | 'compileCache'>;
  readonly limits: ThreadLimits;
  /** Called once when it has ended by itself, outside of any call. */
  readonly onEnd: (end: WorkerEnd) => void;
  /** Called with each line that it printed; bounded. */
  readonly onPrint: (line: string) => void;
}

const workerFile = ownModule('plugins/strategy-worker');

/**
 * The thread of one strategy, seen from the main thread. It gets no environment, no arguments and no more
 * memory than it may have.
 */
export class StrategyThread {
  private readonly options: ThreadOptions;
  private readonly line = new SharedLine();
  private readonly worker: Worker;
  private readonly arrived = Promise.withResolvers<void>();
  private readonly begunMs = performance.now();
  private isLoaded = false;
  private isDisposed = false;
  /** Reason that it ended by itself; null while it works. */
  private end: WorkerEnd | null = null;

  constructor(options: ThreadOptions) {
    this.options = options;
    const { setup, limits } = options;
    this.worker = new Worker(workerFile, {
      workerData: {
        ...setup,
        memory: this.line.memory,
        compileCache: process.env['NODE_COMPILE_CACHE'] ?? null,
      } satisfies WorkerSetup,
      env: {},
      argv: [],
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: limits.memoryMb,
        maxYoungGenerationSizeMb: YOUNG_MB,
        stackSizeMb: STACK_MB,
      },
      name: setup.name ?? setup.shownFile,
    });
    this.worker.once('message', () => this.arrived.resolve());
    this.worker.on('error', (error: unknown) => this.noteEnd(endOf(error, limits)));
    this.worker.on('exit', () =>
      this.noteEnd({ message: english(sentence('strategy-thread-ended')), line: null, stack: null }),
    );
    for (const stream of [this.worker.stdout, this.worker.stderr]) this.watch(stream);
    // A bot that is done must not wait for its strategies.
    this.worker.unref();
  }

  get hasEnded(): boolean {
    return this.end !== null || this.isDisposed;
  }

  /**
   * Waits without blocking for the message that it is set up. Throws `INVALID_STRATEGY` when that takes too
   * long, or when the thread ends.
   */
  async loaded(): Promise<Loaded> {
    const { loadMs } = this.options.limits;
    const late = Promise.withResolvers<void>();
    this.worker.ref();
    const timer = setTimeout(late.resolve, loadMs);
    await Promise.race([this.arrived.promise, late.promise]);
    clearTimeout(timer);
    this.worker.unref();
    return this.readLoaded();
  }

  /** The same without waiting: null while it still loads and has time left. */
  loadedByNow(): Loaded | null {
    const isAtIt = this.line.kind === SENT.nothing && this.end === null;
    if (isAtIt && performance.now() - this.begunMs < this.options.limits.loadMs) return null;
    return this.readLoaded();
  }

  /**
   * Passes a call to the thread and waits for its answer. Throws `INVALID_STRATEGY` when it takes too long or
   * the thread ends; then the thread is done.
   */
  call(call: WorkerCall, answerRead: (read: unknown) => unknown): WorkerAnswer {
    this.line.clear();
    this.worker.postMessage(this.line.trySend(call) ? null : call, []);
    let leftMs = this.options.limits.handlerMs;
    for (let questions = 0; questions <= MOST_QUESTIONS; questions += 1) {
      const begunMs = performance.now();
      const kind = this.await(leftMs);
      leftMs -= Math.min(performance.now() - begunMs, SLICE_MS);
      if (kind === SENT.answer) return this.line.read() as WorkerAnswer;
      if (kind === SENT.end) throw this.broken();
      if (kind !== SENT.question || leftMs <= 0) break;
      const value = answerRead(this.line.read());
      this.line.clear();
      if (!this.line.trySend({ value })) this.worker.postMessage({ value }, []);
      this.line.answered();
    }
    void this.dispose();
    throw new SarrafError(
      'INVALID_STRATEGY',
      english(sentence('strategy-too-slow', { limit: this.options.limits.handlerMs })),
    );
  }

  /** Ends it, whatever it does. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    await this.worker.terminate();
  }

  /** Waits in slices for a message. Answers its kind; `SENT.nothing` when none came in time. */
  private await(limitMs: number): number {
    for (let spin = 0; spin < SPINS; spin += 1) {
      const { kind } = this.line;
      if (kind !== SENT.nothing) return kind;
    }
    for (let leftMs = limitMs; leftMs > 0; leftMs -= SLICE_MS) {
      const kind = this.line.wait(Math.min(leftMs, SLICE_MS));
      if (kind !== SENT.nothing) return kind;
    }
    return SENT.nothing;
  }

  private readLoaded(): Loaded {
    const { kind } = this.line;
    if (kind === SENT.answer) {
      this.isLoaded = true;
      return this.line.read() as Loaded;
    }
    if (kind === SENT.end) throw this.broken();
    const end = this.end;
    void this.dispose();
    if (end !== null) throw brokenBy(end);
    throw new SarrafError(
      'INVALID_STRATEGY',
      english(sentence('strategy-slow-load', { limit: this.options.limits.loadMs })),
    );
  }

  /** The last message of the thread. */
  private broken(): SarrafError {
    this.end ??= checkedEnd(this.line.readEnd());
    void this.dispose();
    return brokenBy(this.end);
  }

  private noteEnd(end: WorkerEnd): void {
    this.arrived.resolve();
    if (this.hasEnded) return;
    this.end = checkedEnd(this.line.readEnd() ?? end);
    if (this.isLoaded) this.options.onEnd(this.end);
  }

  private watch(stream: Readable): void {
    let rest = '';
    let lines = 0;
    let secondMs = 0;
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      const nowMs = performance.now();
      if (nowMs - secondMs >= 1_000) {
        secondMs = nowMs;
        lines = 0;
      }
      const parts = (rest + text).split('\n');
      rest = (parts.pop() ?? '').slice(0, LONGEST_LINE);
      for (const part of parts) {
        lines += 1;
        if (lines <= LINES_A_SECOND) this.options.onPrint(part.slice(0, LONGEST_LINE));
        else if (lines === LINES_A_SECOND + 1)
          this.options.onPrint(`… more than ${LINES_A_SECOND} lines in a second`);
      }
    });
    // Its output is for people: an error in reading it is no reason to end.
    stream.on('error', () => undefined);
  }
}

function brokenBy(end: WorkerEnd): SarrafError {
  return new SarrafError('INVALID_STRATEGY', end.message, { details: { end } });
}

/** A thread can throw any value, also null. */
function endOf(error: unknown, { memoryMb }: ThreadLimits): WorkerEnd {
  const { code, message } = Object(error) as Partial<Record<'code' | 'message', unknown>>;
  const isFull = code === 'ERR_WORKER_OUT_OF_MEMORY';
  const what = isFull ? `ran out of memory: it may have ${memoryMb} MB` : 'ended';
  return checkedEnd({
    message: `its thread ${what}${isFull || typeof message !== 'string' ? '' : `: ${message}`}`,
  });
}

function checkedEnd(answer: unknown): WorkerEnd {
  const { message, line, stack } = Object(answer) as Partial<Record<keyof WorkerEnd, unknown>>;
  return {
    message:
      typeof message === 'string' ? message.slice(0, 1_000) : english(sentence('strategy-thread-ended')),
    line: typeof line === 'number' && Number.isInteger(line) ? line : null,
    stack: typeof stack === 'string' ? stack.slice(0, 4_000) : null,
  };
}

/** True if a value is a valid question of a strategy: a method of the view, and texts. */
function isQuery(asked: unknown): asked is Query {
  return (
    Array.isArray(asked) &&
    asked.length >= 1 &&
    asked.length <= 3 &&
    asked.every((part) => typeof part === 'string' && part.length <= 64)
  );
}

/** Most looks that are remembered for a kind of event; further ones are asked for each time. */
const MOST_READS = 32;

/**
 * Data that the handlers of one strategy read, by the kind of event: it is sent with the next event of that
 * kind, so that a call costs one round trip. An object that has not changed is not sent again.
 */
export class Queries {
  private readonly byKind = new Map<string, Map<string, Query>>();
  private readonly sent = new Map<string, object>();

  /** Returns the data to send with an event. */
  of(event: StrategyEvent, view: EngineView): Pick<WorkerCall, 'reads' | 'same' | 'inEvent'> {
    const reads: (readonly [string, unknown])[] = [];
    const same: string[] = [];
    const inEvent: string[] = [];
    const data = eventData(event);
    for (const [key, read] of this.byKind.get(event.kind) ?? []) {
      const value = valueOf(read, view);
      if (typeof value === 'object' && value !== null) {
        if (this.sent.get(key) === value) same.push(key);
        else {
          this.sent.set(key, value);
          if (value === data) inEvent.push(key);
          else reads.push([key, value]);
        }
      } else reads.push([key, value]);
    }
    return { reads, same, inEvent };
  }

  /** Answers a question of a handler, and remembers it. Null answers what is no question. */
  answer(asked: unknown, kind: string, view: EngineView): unknown {
    if (!isQuery(asked)) return null;
    const known = this.byKind.get(kind) ?? new Map<string, Query>();
    this.byKind.set(kind, known);
    const key = keyOf(asked);
    const value = valueOf(asked, view);
    if (known.size < MOST_READS && value !== undefined) {
      known.set(key, asked);
      if (typeof value === 'object' && value !== null) this.sent.set(key, value);
    }
    return value ?? null;
  }

  /** A new thread begins: nothing has been sent to it. */
  forgetSent(): void {
    this.sent.clear();
  }
}

/** Returns the view's data for a read; undefined for an unknown method. */
function valueOf([method, first = '', second = '']: Query, view: EngineView): unknown {
  switch (method) {
    case 'position':
      return view.position(first);
    case 'inventory':
      return view.inventory(first);
    case 'free':
      return view.free();
    case 'orders':
      return view.orders();
    case 'book':
      return view.book(first);
    case 'stats':
      return view.stats(first);
    case 'margin':
      return view.margin(first);
    case 'rules':
      return view.rules(first);
    case 'locks':
      return view.locks(first);
    case 'universe':
      return view.universe(first);
    case 'equity':
      return view.equity(first);
    case 'ageMs':
      return view.ageMs(first as Parameters<EngineView['ageMs']>[0], second);
    case 'accountAgeMs':
      return view.accountAgeMs(first as Parameters<EngineView['accountAgeMs']>[0]);
    default:
      return undefined;
  }
}

/**
 * The last bars of each candle subscription, as many as warm a strategy up, for a thread that begins anew.
 */
export class RecentCandles {
  private readonly series: {
    readonly market: string;
    readonly timeframe: string;
    readonly most: number;
    /** True if it is needed only while a universe follows the market. */
    readonly isPooled: boolean;
    bars: ClosedCandle[];
  }[];

  constructor(subscriptions: readonly Subscription[], warmUps: readonly number[]) {
    this.series = subscriptions.flatMap((wanted, index) =>
      wanted.kind === 'candles'
        ? [
            {
              market: wanted.market,
              timeframe: wanted.timeframe,
              most: Math.max(warmUps[index] ?? 0, memberWarmUp(subscriptions, wanted)),
              isPooled: wanted.isPooled === true,
              bars: [],
            },
          ]
        : [],
    );
  }

  /** Takes in a bar, unless it has it: those of the past may come once more with a universe. */
  add(candle: ClosedCandle): void {
    const one = this.series.find(
      ({ market, timeframe }) => market === candle.market && timeframe === candle.timeframe,
    );
    if (one === undefined || one.most === 0) return;
    const last = one.bars.at(-1);
    if (last !== undefined && candle.openTimeMs <= last.openTimeMs) return;
    one.bars.push(candle);
    if (one.bars.length > one.most) one.bars.shift();
  }

  /** No universe follows a market any more: its bars go, but for those that are wanted anyway. */
  forget(market: string): void {
    for (const one of this.series) if (one.market === market && one.isPooled) one.bars = [];
  }

  all(): ClosedCandle[] {
    return this.series.flatMap(({ bars }) => bars);
  }
}

/** Returns the most candles that universes need of a market, beside its own subscriptions. */
function memberWarmUp(
  subscriptions: readonly Subscription[],
  { market, timeframe }: CandleSubscription,
): number {
  const templates = subscriptions.flatMap((wanted) =>
    wanted.kind === 'universe' && wanted.candidates.includes(market) ? wanted.templates : [],
  );
  return templates.reduce(
    (most, wanted) =>
      wanted.kind === 'candles' && wanted.timeframe === timeframe ? Math.max(most, wanted.warmUp) : most,
    0,
  );
}
