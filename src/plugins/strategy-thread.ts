import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { url } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { type SarrafError, invalidStrategy } from '../domain/errors.ts';
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

/** Limits of a strategy in its own thread. */
export interface ThreadLimits {
  /** Time limit of one call of a handler, in ms. */
  readonly handlerMs: number;
  /** Time limit of loading its file and setting it up, in ms. */
  readonly loadMs: number;
  /** Limit of the JavaScript heap, in MB. */
  readonly memoryMb: number;
}

const YOUNG_MB = 32;
const STACK_MB = 4;

/**
 * Longest slice of a wait, in ms. A slice counts at most its length, so that a process that is stopped for a
 * minute does not use up its strategies' time.
 */
const SLICE_MS = 50;

/** Longest wait of a timer in ms: 24 days. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Times that the main thread polls before it sleeps: most answers come within microseconds. */
const SPINS = 200;

/** Maximum number of questions of one call; more come from an endless loop. */
const MOST_QUESTIONS = 10_000;

/** Maximum number of characters of a printed line, and most lines a second. */
const LONGEST_LINE = 500;
const LINES_A_SECOND = 20;

export interface ThreadOptions {
  readonly setup: Omit<WorkerSetup, 'memory' | 'compileCache'>;
  readonly limits: ThreadLimits;
  /** Called once if the thread ends while no call is running. */
  readonly onEnd: (end: WorkerEnd) => void;
  /** Called with each line that the strategy prints, within the bounds above. */
  readonly onPrint: (line: string) => void;
}

const workerFile = ownModule('plugins/strategy-worker');

/** The thread of one strategy, seen from the main thread: no environment, and limited memory. */
export class StrategyThread {
  private readonly options: ThreadOptions;
  private readonly line = new SharedLine();
  private readonly worker: Worker;
  private readonly arrived = Promise.withResolvers<void>();
  private readonly begunMs = performance.now();
  private isLoaded = false;
  private isDisposed = false;
  /** Reason that it ended by itself; null while it runs. */
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
    // A bot that has finished must not wait for its strategies.
    this.worker.unref();
  }

  get hasEnded(): boolean {
    return this.end !== null || this.isDisposed;
  }

  /**
   * Waits, without blocking, until the strategy is set up. Throws `INVALID_STRATEGY` if that takes too long
   * or if the thread ends.
   */
  async loaded(): Promise<Loaded> {
    // The longest wait of a timer is that of a debugger.
    const loadMs = isInspected() ? LONGEST_TIMER_MS : this.options.limits.loadMs;
    const late = Promise.withResolvers<void>();
    this.worker.ref();
    const timer = setTimeout(late.resolve, loadMs);
    await Promise.race([this.arrived.promise, late.promise]);
    clearTimeout(timer);
    this.worker.unref();
    return this.readLoaded();
  }

  /** Returns the setup's result without waiting; null while it still loads and has time left. */
  loadedByNow(): Loaded | null {
    const isAtIt = this.line.kind === SENT.nothing && this.end === null;
    if (isAtIt && performance.now() - this.begunMs < this.options.limits.loadMs) return null;
    return this.readLoaded();
  }

  /**
   * Sends a call to the thread and waits for its answer. Throws `INVALID_STRATEGY` if it takes too long or
   * the thread ends; the thread can not be used after that.
   */
  call(call: WorkerCall, answerRead: (read: unknown) => unknown): WorkerAnswer {
    this.line.clear();
    this.worker.postMessage(this.line.trySend(call) ? null : call, []);
    // A person with a debugger may stand at a line for as long as they like.
    let leftMs = isInspected() ? Number.POSITIVE_INFINITY : this.options.limits.handlerMs;
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
    throw invalidStrategy(english(sentence('strategy-too-slow', { limit: this.options.limits.handlerMs })));
  }

  /** Terminates the thread, whatever it is doing. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    await this.worker.terminate();
  }

  /** Waits in slices for a message. Returns its kind, or `SENT.nothing` if none came in time. */
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
    throw invalidStrategy(english(sentence('strategy-slow-load', { limit: this.options.limits.loadMs })));
  }

  /** Disposes of a thread that ended, and returns an error with its last message. */
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
    // Output is only for people: an error in reading it must not end the bot.
    stream.on('error', () => undefined);
  }
}

/** True if this process was started with an inspector, or got one later. */
const isInspected = (): boolean => url() !== undefined;

const brokenBy = (end: WorkerEnd): SarrafError => invalidStrategy(end.message, { details: { end } });

/** Returns the end for what a thread threw, which can be any value, also null. */
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

/** True if a value is a valid question of a strategy: a method of the view, with texts as arguments. */
function isQuery(asked: unknown): asked is Query {
  return (
    Array.isArray(asked) &&
    asked.length >= 1 &&
    asked.length <= 3 &&
    asked.every((part) => typeof part === 'string' && part.length <= 64)
  );
}

/** Maximum number of reads that are remembered for a kind of event; further ones are requested each time. */
const MOST_READS = 32;

/**
 * Data that a strategy's handlers read, by kind of event. It is sent with the next event of that kind, so
 * that a call needs one round trip. An object that has not changed is not sent again.
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

  /** Returns the answer to a handler's question, and remembers the question. Null if it is invalid. */
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

  /** Forgets what was sent, since a new thread starts without it. */
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

/** The last bars of each candle subscription, as many as a restarted thread needs for its warm-up. */
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

  /** Adds a bar, unless it is there already: past bars may come again with a universe. */
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

  /**
   * Puts stored bars before the first one that is there, up to the number that a restart needs. Returns how
   * many are there then. `read` returns the newest stored bars, oldest first.
   */
  addEarlier({ market, timeframe }: CandleSubscription, read: () => readonly ClosedCandle[]): number {
    const one = this.series.find((known) => known.market === market && known.timeframe === timeframe);
    if (one === undefined) return 0;
    const wanted = one.most - one.bars.length;
    if (wanted > 0) {
      const firstMs = one.bars[0]?.openTimeMs ?? Number.POSITIVE_INFINITY;
      const earlier = read().filter(({ openTimeMs }) => openTimeMs < firstMs);
      one.bars = [...earlier.slice(-wanted), ...one.bars];
    }
    return one.bars.length;
  }

  /** Drops the bars of a market that no universe follows any more, unless the strategy subscribed to them. */
  forget(market: string): void {
    for (const one of this.series) if (one.market === market && one.isPooled) one.bars = [];
  }

  all(): ClosedCandle[] {
    return this.series.flatMap(({ bars }) => bars);
  }
}

/** Returns the most bars that universes need for a market's warm-up, besides its own subscriptions. */
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
