import { invalidOptions, invalidStrategy } from '../domain/errors.ts';
import { decimalText } from '../domain/decimal-text.ts';
import { formatUnits, parseUnits, type Units } from '../domain/money.ts';
import { DEFAULT_ENGINE_TIMES } from '../engine/engine-settings.ts';
import { lockSettings } from '../daemon/lock-settings.ts';
import type { Lock, LockRule } from '../engine/lock.ts';
import type { LockRecord } from '../engine/lock.ts';
import { createRiskLimits } from '../engine/risk-limits.ts';
import type { OrderRecord, OrderWith } from '../records/order.ts';
import type { FillRecord, FillWith } from '../records/fill.ts';
import type { StrategyDefinition } from '../strategy/definition.ts';
import type { PlotSeries } from '../strategy/plots.ts';
import { StrategyRunner } from '../strategy/runner.ts';
import type { UniverseWish } from '../strategy/universe-rules.ts';
import { BarFillSimulator } from '../venues/bar-fill-simulator.ts';
import { CandleRunner, type CandleRun, type CandleRunOptions } from './candle-runner.ts';
import type { PollRunOptions } from './poll/run-poll.ts';
import { StoredState } from './stored-state.ts';
import { type DatedSignal, signalsFor } from './signals.ts';
import { PlotRecorder, type PlottedSeries } from './backtest-run.ts';
import { scriptedMarket, SCRIPT_START_MS, type MarketScript } from './scripted-market.ts';
import type { Market } from '../domain/market.ts';
import { refusedAnswer } from '../venues/typed-adapter.ts';
import type { VenueAnswer, VenueCall } from '../venues/port.ts';
import { timeframeMs } from '../domain/candle.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { english } from '../language/sentence.ts';

/** Initial state of a scripted run. */
export interface ScriptedAccount {
  readonly params?: Readonly<Record<string, unknown>>;
  /** Initial balances of the account, by lower-case currency; default: 10,000 of the quote currency. */
  readonly balances?: Readonly<Record<string, number>>;
  /** Fee of each trade as a share, such as 0.001; default: none. */
  readonly fee?: number;
  /**
   * Codes with which the exchange refuses the first orders that it receives, such as `InsufficientBalance`;
   * null accepts an order. All later orders are accepted.
   */
  readonly refuse?: readonly (string | null)[];
  /** Coins of the account that the strategy may sell without a buy: `{ btc: 0.5 }`; default: none. */
  readonly inventory?: Readonly<Record<string, number>>;
  /** Lock rules as in a configuration: `[{ kind: 'cooldown', for: '30m' }]`; default: none. */
  readonly locks?: readonly unknown[];
  /** External signals to the strategy; invalid ones are among the refusals. */
  readonly signals?: readonly ScriptedSignal[];
}

/** External signal to a strategy. */
export interface ScriptedSignal {
  /** Number of bars, or books, before the signal; 0 is before the first. */
  readonly after: number;
  /** Name of the declared signal; default: the only one that the strategy declares. */
  readonly name?: string;
  readonly payload: unknown;
  /** Id of the signal; default: a different one for each. */
  readonly id?: string;
  /** Sender of the signal; default: `test`. */
  readonly source?: string;
}

export interface ScriptOptions extends MarketScript, ScriptedAccount {
  /** Number of first bars that are the past: they warm up, and no handler receives them. */
  readonly past?: number;
  /** Numbers of bars after which the bot is killed and restarts from its mirror, such as `[3, 7]`. */
  readonly restartAfter?: readonly number[];
  /** Other markets, for a strategy of several; their bars start with the first ones. */
  readonly others?: readonly MarketScript[];
  /** Universe rules that choose its markets among those of the script, in place of the first one. */
  readonly universe?: UniverseWish;
  /** Percentage of a bar's volume that an order can fill; default: without limit. */
  readonly volumeShare?: number;
}

/** Order of a strategy. Prices are in the quote currency, amounts in the base currency. */
export type ScriptedOrder = Pick<
  OrderWith<number>,
  'market' | 'side' | 'execution' | 'price' | 'stopPrice' | 'amount' | 'filled' | 'state' | 'tag'
>;

/** Lock that was active. Null as a market or strategy means all. */
export interface ScriptedLock
  extends Pick<Lock, 'name' | 'strategy' | 'market' | 'beganAtMs'>, Omit<LockRecord, 'lock'> {
  readonly reason: string;
}

/** Fill of an order. */
export interface ScriptedFill extends Pick<FillWith<number>, 'market' | 'side' | 'price' | 'amount' | 'fee'> {
  readonly timeMs: number;
}

/** Outcome of a strategy on a scripted market. */
export interface ScriptedRun {
  /** Orders in the order in which they were planned. */
  readonly orders: readonly ScriptedOrder[];
  readonly fills: readonly ScriptedFill[];
  /** Refused intents of the strategy, as sentences with their codes. */
  readonly refusals: readonly string[];
  readonly log: readonly string[];
  /** Plots of the strategy, in the order in which the series began. */
  readonly plots: readonly ScriptedPlot[];
  /** Locks that were active, such as `cooldown of BTCUSDT`, with the number of orders each refused. */
  readonly locks: readonly ScriptedLock[];
  /** Final state of the strategy. */
  readonly state: unknown;
  /** Value of the whole account at the end of the run, in the quote currency, at the last prices. */
  readonly equity: number;
}

const MILLIONTHS = 1_000_000;

/**
 * Runs a strategy on scripted bars, with the real engine and the fill rules of a backtest on bars. Each run
 * gives the same result. Throws `INVALID_STRATEGY` with the error of a handler.
 */
export function runStrategy(strategy: StrategyDefinition, options: ScriptOptions): ScriptedRun {
  const {
    params = {},
    past = 0,
    timeframe = '1h',
    restartAfter = [],
    others = [],
    universe,
    volumeShare,
  } = options;
  const { market, columns } = scriptedMarket(options);
  const markets = [
    { market, columns },
    ...others.map((other) => scriptedMarket({ ...other, timeframe: other.timeframe ?? timeframe })),
  ];
  const venue = new BarFillSimulator({
    markets: markets.map((one) => one.market),
    ...accountOf(options, market),
    rules: { volumeShareMillionths: volumeShare === undefined ? null : Math.round(volumeShare * 10_000) },
  });
  const knownMarkets = new Set<string>(markets.map((one) => one.market.symbol));
  const newRunner = (): StrategyRunner =>
    new StrategyRunner(strategy, {
      marketNames: MARKET_NAMES,
      market: market.symbol,
      timeframe,
      params,
      hasBooks: false,
      ...(universe === undefined ? {} : { universe, isDataSet: true, knownMarkets }),
    });
  const recorder = new PlotRecorder();
  let runner = newRunner();
  runner.plots = recorder;
  const settings = settingsOf(runner, options);
  const barMs = timeframeMs(timeframe);
  const run = new CandleRunner({
    settings,
    markets,
    venue,
    quote: market.quote,
    fromMs: SCRIPT_START_MS + past * barMs,
    answerInstead: refusing(options.refuse),
    signals: scriptedSignals(options.signals, runner, (after) => {
      checkAfter(after, options.bars.length - past);
      return SCRIPT_START_MS + (past + after) * barMs;
    }),
    ...(restartAfter.length === 0
      ? {}
      : {
          restarts: {
            atMs: restartAfter
              .map((bars) => SCRIPT_START_MS + (past + bars) * barMs)
              .toSorted((left, right) => left - right),
            state: new StoredState('test'),
            ending: 'killed',
            newInstances: () => {
              runner = newRunner();
              runner.plots = recorder;
              return settingsOf(runner, options).instances;
            },
          },
        }),
  }).run();
  return scriptedRun(run, { runner, plots: recorder.series(runner.name) });
}

/** Returns the fees and balances of a script. */
export function accountOf(
  { fee = 0, balances }: ScriptedAccount,
  { quote }: Market,
): Pick<PollRunOptions, 'fees' | 'balances'> {
  const rates = { maker: Math.round(fee * MILLIONTHS), taker: Math.round(fee * MILLIONTHS) };
  return {
    fees: { rls: rates, usdt: rates },
    balances: unitsByCurrency(balances ?? { [quote]: 10_000 }),
  };
}

function unitsByCurrency(amounts: Readonly<Record<string, number>>): Readonly<Record<string, Units>> {
  return Object.fromEntries(
    Object.entries(amounts).map(([currency, amount]) => [currency, parseUnits(decimalText(amount))]),
  );
}

/**
 * Returns the engine settings of a script. Throws `INVALID_OPTIONS` for invalid lock rules, and for a
 * universe without candidates in the script, in which nothing would ever happen.
 */
export function settingsOf(
  runner: StrategyRunner,
  { locks = [], inventory = {} }: Pick<ScriptedAccount, 'locks' | 'inventory'>,
): CandleRunOptions['settings'] {
  const { subscriptions } = runner;

  for (const wanted of subscriptions) {
    if (wanted.kind !== 'universe' || wanted.candidates.length > 0) continue;
    throw invalidOptions(
      `universe: expected markets in ${wanted.rules.quote} among those of the script, found none: add some by others, with a name such as ETHUSDT`,
    );
  }
  const limits = createRiskLimits();
  const own = { capital: {}, inventory: unitsByCurrency(inventory) };
  const instance = { runner, onError: 'stop', pauseMs: 60_000, limits, ...own } as const;
  return { ...DEFAULT_ENGINE_TIMES, instance: 'test', instances: [instance], locks: readLocks(locks) };
}

function readLocks(locks: readonly unknown[]): readonly LockRule[] {
  const read = lockSettings.safeParse(locks);
  if (read.success) return read.data;
  const [{ path, message } = { path: [], message: '' }] = read.error.issues;
  throw invalidOptions(`locks.${path.join('.')}: ${message}`);
}

/** Returns the signals of a script at their times. Throws `INVALID_FILE` for one that is not declared. */
export function scriptedSignals(
  signals: ScriptedAccount['signals'] = [],
  runner: StrategyRunner,
  timeOf: (after: number) => number,
): readonly DatedSignal[] {
  return signals.flatMap(({ after, name = null, payload, id, source = 'test' }, index) =>
    signalsFor(
      [
        {
          atMs: timeOf(after),
          strategy: null,
          name,
          id: id ?? `signal-${index}`,
          payload,
          sentAtMs: null,
          source,
          place: `signals.${index}`,
        },
      ],
      [{ runner }],
    ),
  );
}

/** Throws `INVALID_OPTIONS` for a signal after more bars or books than the script has. */
export function checkAfter(after: number, most: number): void {
  if (Number.isInteger(after) && after >= 0 && after <= most) return;
  throw invalidOptions(`signals: expected after to be a whole number from 0 to ${most}, was ${after}`);
}

/** Returns a function that refuses orders with the codes of a script, one after the other. */
export function refusing(codes: ScriptedAccount['refuse'] = []): (call: VenueCall) => VenueAnswer | null {
  let next = 0;
  return ({ kind }) => {
    if (kind !== 'place' && kind !== 'place-oco') return null;
    const code = codes[next] ?? null;
    next += 1;
    return code === null ? null : refusedAnswer(code, 'refused by the script');
  };
}

/** Series that a strategy plotted: its values, null for a gap, and their times. */
export interface ScriptedPlot extends PlotSeries {
  readonly values: readonly (number | null)[];
  readonly timesMs: readonly number[];
}

/** Returns the outcome of a run. Throws `INVALID_STRATEGY` with the error of a handler. */
export function scriptedRun(
  run: Pick<CandleRun, 'orders' | 'fills' | 'intents' | 'locks' | 'logs' | 'finalEquity'>,
  { runner, plots }: { readonly runner: StrategyRunner; readonly plots: readonly PlottedSeries[] },
): ScriptedRun {
  if (runner.failure !== null) throw invalidStrategy(`${runner.name}: ${runner.failure}`);
  return {
    orders: run.orders.map(orderOf),
    fills: run.fills.map(fillOf),
    refusals: run.intents.flatMap(({ refusals }) =>
      refusals.map(({ code, example }) => `${code}: ${english(example)}`),
    ),
    log: (run.logs.get(runner.name) ?? []).map(({ text }) => text),
    plots: plots.map(plotOf),
    locks: run.locks.records.map(({ lock, endedAtMs, refused }) => {
      const { name, strategy, market, reason, beganAtMs } = lock;
      return { name, strategy, market, reason: english(reason), beganAtMs, endedAtMs, refused };
    }),
    state: JSON.parse(runner.stateJson()) as unknown,
    equity: numberOf(run.finalEquity),
  };
}

function plotOf({ market, name, pane, style, color, value, atMs }: PlottedSeries): ScriptedPlot {
  const values = [...value].map((one) => (Number.isNaN(one) ? null : one));
  return { market, name, pane, style, color, values, timesMs: [...atMs] };
}

function orderOf(order: OrderRecord): ScriptedOrder {
  const { market, side, execution, price, stopPrice, amount, filled, state, tag } = order;
  return {
    market,
    side,
    execution,
    price: price === null || execution === 'market' ? null : numberOf(price),
    stopPrice: stopPrice === null ? null : numberOf(stopPrice),
    amount: numberOf(amount),
    filled: numberOf(filled),
    state,
    tag,
  };
}

function fillOf({ market, side, price, amount, fee, atMs }: FillRecord): ScriptedFill {
  return { market, side, price: numberOf(price), amount: numberOf(amount), fee: numberOf(fee), timeMs: atMs };
}

function numberOf(units: Units): number {
  return Number(formatUnits(units));
}
