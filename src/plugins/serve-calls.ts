import { SarrafError } from '../domain/errors.ts';
import { createMarketNames } from '../domain/market-symbol.ts';
import { syncBuiltinESMExports } from 'node:module';
import { parentPort, workerData, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { deepFreeze } from '../strategy/fields.ts';
import { faultOf, type StrategySource } from '../strategy/strategy-port.ts';
import { PlotBatch } from '../strategy/plots.ts';
import { StrategyRunner } from '../strategy/runner.ts';
import type { EngineView, StrategyEvent } from '../strategy/strategy-event.ts';
import type { Intent } from '../strategy/intents.ts';
import { lineIn, loadStrategy } from './load-strategy.ts';
import {
  SENT,
  SharedLine,
  type Loaded,
  type WorkerAnswer,
  type WorkerCall,
  type WorkerEnd,
  type WorkerSetup,
  keyOf,
  eventData,
  type Query,
} from './worker-messages.ts';

/** Maximum number of values that are kept, to be shown again while they do not change. */
const MOST_RETAINED = 200;

/**
 * View of the engine in a strategy's thread. Data that was read in earlier calls comes with the call; other
 * data is requested while the main thread waits, so the strategy can read all that a direct call shows.
 */
class RemoteView implements EngineView {
  nowMs = 0;
  private readonly line: SharedLine;
  private readonly port: MessagePort;
  private now = new Map<string, unknown>();
  private readonly cached = new Map<string, unknown>();

  constructor(line: SharedLine, port: MessagePort) {
    this.line = line;
    this.port = port;
  }

  begin({ event, nowMs, reads, same, inEvent }: WorkerCall): void {
    this.nowMs = nowMs;
    this.now = new Map();
    for (const [key, value] of reads) this.apply(key, value);
    const data = eventData(event);
    for (const key of inEvent) this.apply(key, data);
    for (const key of same) this.now.set(key, this.cached.get(key));
  }

  position(market: string): ReturnType<EngineView['position']> {
    return this.read(['position', market]) as ReturnType<EngineView['position']>;
  }

  positionNumber(market: string): number {
    return Number(this.position(market));
  }

  inventory(market: string): ReturnType<EngineView['inventory']> {
    return this.read(['inventory', market]) as ReturnType<EngineView['inventory']>;
  }

  freeNumber(currency: string): number {
    return Number(this.free()[currency] ?? 0);
  }

  free(): ReturnType<EngineView['free']> {
    return this.read(['free']) as ReturnType<EngineView['free']>;
  }

  orders(): ReturnType<EngineView['orders']> {
    return this.read(['orders']) as ReturnType<EngineView['orders']>;
  }

  book(market: string): ReturnType<EngineView['book']> {
    return this.read(['book', market]) as ReturnType<EngineView['book']>;
  }

  stats(market: string): ReturnType<EngineView['stats']> {
    return this.read(['stats', market]) as ReturnType<EngineView['stats']>;
  }

  margin(topic: string): ReturnType<EngineView['margin']> {
    return this.read(['margin', topic]) as ReturnType<EngineView['margin']>;
  }

  rules(market: string): ReturnType<EngineView['rules']> {
    return this.read(['rules', market]) as ReturnType<EngineView['rules']>;
  }

  locks(market: string): ReturnType<EngineView['locks']> {
    return this.read(['locks', market]) as ReturnType<EngineView['locks']>;
  }

  universe(name: string): ReturnType<EngineView['universe']> {
    return this.read(['universe', name]) as ReturnType<EngineView['universe']>;
  }

  equity(market: string): ReturnType<EngineView['equity']> {
    return this.read(['equity', market]) as ReturnType<EngineView['equity']>;
  }

  ageMs(what: Parameters<EngineView['ageMs']>[0], market: string): number | null {
    return this.read(['ageMs', what, market]) as number | null;
  }

  accountAgeMs(what: Parameters<EngineView['accountAgeMs']>[0]): number | null {
    return this.read(['accountAgeMs', what]) as number | null;
  }

  private read(read: Query): unknown {
    const key = keyOf(read);
    if (this.now.has(key)) return this.now.get(key);
    this.line.ask(read);
    const answer = this.line.received() ?? receiveMessageOnPort(this.port)?.message;
    this.apply(key, (answer as { readonly value: unknown } | undefined)?.value ?? null);
    return this.now.get(key);
  }

  private apply(key: string, value: unknown): void {
    this.now.set(key, deepFreeze(value));
    if (typeof value !== 'object' || value === null) return;
    if (this.cached.size >= MOST_RETAINED) this.cached.clear();
    this.cached.set(key, value);
  }
}

const KINDS: readonly StrategyEvent['kind'][] = [
  'start',
  'stop',
  'candle',
  'book',
  'trades',
  'stats',
  'margin',
  'timer',
  'signal',
  'universe',
  'fill',
  'order',
  'transfer',
  'reject',
];

/** Setup of this thread, which loads one strategy's file, sets it up and calls its handlers one by one. */
const { memory, file, shownFile, name, market, universe, quotes, timeframe, params, knownMarkets, venues } =
  workerData as WorkerSetup;
const port = parentPort as MessagePort;
const line = new SharedLine(memory);
const view = new RemoteView(line, port);
const source: StrategySource = { file: shownFile, lineOf: (error) => lineIn(error, file) };
const plots = new PlotBatch();
let hasPostedEnd = false;

/** Posts the thread's last message, which ends any wait for an answer. */
function postEnd(end: WorkerEnd): void {
  if (hasPostedEnd) return;
  hasPostedEnd = true;
  line.postEnd({ ...end, message: end.message.slice(0, 1_000), stack: end.stack?.slice(0, 4_000) });
}

process.on('uncaughtExceptionMonitor', (error, origin) => {
  const { message, line: at, stack } = faultOf(null, error, source);
  const what =
    origin === 'unhandledRejection' ? 'a promise was rejected and not caught' : 'outside of a handler';
  postEnd({ message: `${what}: ${message}`, line: at, stack });
});
process.on('exit', (code) =>
  postEnd({ message: `it called process.exit(${code})`, line: null, stack: null }),
);

/** Details of an error of a strategy that can not be loaded or set up. */
const detailsOf = (error: unknown) =>
  (error instanceof SarrafError ? error.details : {}) as Partial<Extract<Loaded, { kind: 'problem' }>> & {
    readonly text?: string;
  };

async function load(): Promise<StrategyRunner | Extract<Loaded, { kind: 'problem' }>> {
  try {
    const { definition } = await loadStrategy(file);
    return new StrategyRunner(definition, {
      ...(name === null ? {} : { name }),
      market,
      universe,
      marketNames: createMarketNames(quotes),
      timeframe,
      params,
      ...(knownMarkets === null ? {} : { knownMarkets: new Set(knownMarkets) }),
      ...(venues === null ? {} : { venues }),
      source,
    });
  } catch (error) {
    const fault = faultOf(null, error, source);
    const { text = fault.message, line: at = fault.line, params = null } = detailsOf(error);
    return { kind: 'problem', message: text, line: at, params };
  }
}

function answerTo(runner: StrategyRunner, call: WorkerCall): WorkerAnswer {
  const { follows, candles, restore, clears, draws, signal } = call;
  runner.plots = draws ? plots : null;
  if (restore !== null) runner.restore(restore);
  if (clears) runner.clearFailure();
  for (const [name, markets] of follows ?? []) runner.follow(name, markets);
  for (const candle of candles) runner.warmUp(candle);
  view.begin(call);
  const objection = signal === null ? null : runner.objectionTo(signal);
  const intents = intentsOf(runner, call, view);
  return {
    state: runner.drainChangedState(),
    intents,
    fault: runner.fault,
    log: runner.drainLog(),
    plots: plots.drain(),
    objection,
  };
}

function intentsOf(
  runner: StrategyRunner,
  { event, feeds }: WorkerCall,
  seen: EngineView,
): readonly Intent[] {
  // The received book belongs to this thread alone, so that it needs no copy.
  if (event?.kind === 'book') deepFreeze(event.book);
  if (event === null) return [];
  if (!feeds) return runner.handle(event, seen);
  if (event.kind === 'candle' || event.kind === 'universe') runner.feed(event);
  return [];
}

function failed(error: unknown): WorkerAnswer {
  return {
    state: null,
    intents: [],
    fault: faultOf(null, error, source),
    log: [],
    plots: [],
    objection: null,
  };
}

// A signal to the process would end the bot without its drain. This is no protection against malice: see
// docs/security.md.
process.kill = () => {
  throw new Error('expected a strategy to send no signals');
};
syncBuiltinESMExports();
const loaded = await load();
if (loaded instanceof StrategyRunner) {
  port.on('message', (call: WorkerCall | null) => {
    let answer: WorkerAnswer;
    try {
      answer = answerTo(loaded, call ?? (line.received() as WorkerCall));
    } catch (error) {
      answer = failed(error);
    }
    try {
      line.post(SENT.answer, answer);
    } catch (error) {
      line.post(SENT.answer, failed(error));
    }
  });
  line.post(SENT.answer, {
    kind: 'ready',
    name: loaded.name,
    subscriptions: loaded.subscriptions,
    params: loaded.params,
    trailing: loaded.trailing ?? undefined,
    warmUps: loaded.subscriptions.map((wanted) =>
      wanted.kind === 'candles' ? loaded.warmUpLength(wanted) : 0,
    ),
    wants: KINDS.filter((kind) => loaded.wants(kind)),
    handlers: loaded.routes.map((route) => [route, loaded.handlerOf(route) ?? '']),
    state: loaded.stateJson(),
  });
} else {
  // The thread would end by itself, maybe before its message is read. Then its end would be reported instead
  // of the problem.
  hasPostedEnd = true;
  line.post(SENT.answer, loaded);
}
port.postMessage(null);
