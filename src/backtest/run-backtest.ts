import {
  barsBetween,
  cellUnits,
  columnScale,
  firstBarFrom,
  gridOfColumns,
  type CandleColumns,
} from '../domain/candle-columns.ts';
import type { FeeSchedule } from '../domain/market.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { formatUnits, NO_UNITS, type Units } from '../domain/money.ts';
import { timeframeMs } from '../domain/candle.ts';
import type { EngineSettings, StrategyInstanceSettings } from '../engine/engine-settings.ts';
import type { OrderRecord } from '../records/order.ts';
import {
  type BacktestRun,
  type Loading,
  type TradedMarket,
  withCaveats,
  type FidelityFact,
  joinedBy,
  runWarning,
  type RunWarning,
  ranStrategies,
  recordPlots,
} from './backtest-run.ts';
import { barsWithoutDetail } from './bar-queue.ts';
import { CandleRunner, type RunMarket, type CandleRun, type RunRestarts } from './candle-runner.ts';
import { describeBarRules } from './describe-rules.ts';
import type { BarRules } from '../venues/fill-rules.ts';
import { BarFillSimulator } from '../venues/bar-fill-simulator.ts';
import { refuseUnvalued, runCurrency } from './run-currency.ts';
import { inDigits } from '../language/fact.ts';
import { signalWarnings, type DatedSignal } from './signals.ts';

/** Backtest on bars that is ready to run. */
export interface CandleBacktest {
  /** Lock rules of the whole bot; default: none. */
  readonly locks?: EngineSettings['locks'];
  /** Strategies, which must be new for each run: a run leaves them in their final state. */
  readonly instances: readonly StrategyInstanceSettings[];
  readonly execution: Pick<
    EngineSettings,
    'instance' | 'lateArrivalMs' | 'absencePassesApartMs' | 'resendUnknown' | 'placeWithinMs'
  >;
  readonly markets: readonly RunMarket[];
  readonly fees: FeeSchedule;
  readonly balances: Readonly<Record<string, Units>>;
  /** Currency of the results; null: rial where any market is priced in it, else tether. */
  readonly currency?: Currency | null;
  readonly rules: Partial<BarRules>;
  /** Start of the run in ms since 1970; bars that open earlier are the past. */
  readonly fromMs: number;
  /** External signals to strategies, with their times; default: none. */
  readonly signals?: readonly DatedSignal[];
  /** Requested end of the run in ms: signals from then on are not delivered. Default: the end of the bars. */
  readonly signalsToMs?: number;
  /** Restarts of the bot during the run; default: none. */
  readonly restarts?: RunRestarts;
  /** True if the plots of strategies are recorded; default: false. */
  readonly isDrawn?: boolean;
  /** Settings that produced the result, stored in it as JSON. */
  readonly config: unknown;
  /** More caveats, besides those of any run on bars; default: none. */
  readonly caveats?: readonly FidelityFact[];
  readonly loading: Loading;
  /** Clock in ms, for the timing. */
  readonly clock: () => number;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Runs a backtest on bars. Throws `INVALID_OPTIONS` for no bar, or if not all can be valued. */
export function runBacktest(backtest: CandleBacktest): BacktestRun {
  const { markets, fromMs, clock } = backtest;
  const listed = markets.map(({ market }) => market);
  const quote = runCurrency(listed, backtest.currency);
  refuseUnvalued(listed, quote);
  const plots = recordPlots(backtest.isDrawn === true ? backtest.instances : []);
  const startedMs = clock();
  const { run, venue } = runOnce(backtest, backtest.markets);
  const runMs = clock() - startedMs;
  const { bars, universes, failures, logs, ...record } = run;
  const toMs = run.curve.timeMs[run.curve.length - 1] ?? fromMs;
  return {
    ...record,
    fidelity: withCaveats(
      describeBarRules(venue.rules, markets.find(({ detail }) => detail)?.detail?.timeframe),
      backtest.caveats,
    ),
    quote,
    fromMs: firstOpenMs(markets, fromMs),
    toMs,
    barMs: Math.min(...markets.map(({ columns }) => timeframeMs(columns.timeframe))),
    markets: markets.map((market) => tradedMarket(market, fromMs)),
    strategies: ranStrategies(backtest.instances, { failures, logs }),
    plots: plots(),
    requests: null,
    warnings: [
      ...warningsOf(backtest, venue.valuer(quote).unvalued),
      // A universe that no market ever entered is most likely a mistake.
      ...universes.flatMap(({ key, rankings, entered, empty }) =>
        entered > 0
          ? []
          : [
              runWarning('warning.emptyUniverse', {
                universe: key,
                rankings: inDigits(rankings),
                why: empty ?? runWarning('warning.somePassed'),
              }),
            ],
      ),
      ...signalWarnings(backtest.signals ?? [], {
        instances: backtest.instances,
        fromMs,
        toMs: Math.min(toMs, lastSignalMs(backtest)),
      }),
    ],
    config: backtest.config,
    timing: { ...backtest.loading, runMs, events: bars },
  };
}

/** Order that a strategy planned, as text for a comparison of two runs. */
export interface ExpectedOrder {
  readonly atMs: number;
  readonly text: string;
}

/** Runs a backtest again on other bars, or from another start. */
export function repeatRun(
  backtest: CandleBacktest,
  of: { readonly markets: readonly RunMarket[]; readonly fromMs: number },
): CandleRun {
  return runOnce({ ...backtest, fromMs: of.fromMs }, of.markets).run;
}

/** Returns the planned orders in their order, as text. */
export function wantedOf(orders: readonly OrderRecord[]): readonly ExpectedOrder[] {
  return orders.map(({ plannedAtMs, market, side, execution, amount, price, stopPrice, strategy }) => ({
    atMs: plannedAtMs,
    text: `${strategy} ${market} ${side} ${execution} ${formatUnits(amount)} ${textOf(price)} ${textOf(stopPrice)}`,
  }));
}

const textOf = (price: Units | null): string => (price === null ? '-' : formatUnits(price));

/** Returns the bars up to a time. Bars that close later are removed, and no buffer contains them. */
export function cutAfter(markets: readonly RunMarket[], untilMs: number): readonly RunMarket[] {
  return markets.map(({ columns, detail, ...of }) => {
    const grid = gridOfColumns(columns);
    let { length } = columns;
    while (length > 0 && grid.endOf(columns.openTimeMs[length - 1] ?? 0) > untilMs) length -= 1;
    return {
      ...of,
      columns: copyOfBars(columns, length),
      detail: detail && copyOfBars(detail, firstBarFrom(detail, untilMs)),
    };
  });
}

/** Copies the first bars into new arrays; a view would still give access to the later bars. */
function copyOfBars(columns: CandleColumns, length: number): CandleColumns {
  const { openTimeMs, open, high, low, close, volume } = columns;
  return {
    ...columns,
    length,
    openTimeMs: openTimeMs.slice(0, length),
    open: open.slice(0, length),
    high: high.slice(0, length),
    low: low.slice(0, length),
    close: close.slice(0, length),
    volume: volume.slice(0, length),
  };
}

function runOnce(
  backtest: CandleBacktest,
  markets: readonly RunMarket[],
): { readonly run: CandleRun; readonly venue: BarFillSimulator } {
  const { instances, locks = [], fees, balances, rules, execution, fromMs, signals, onProgress } = backtest;
  const listed = markets.map(({ market }) => market);
  const venue = new BarFillSimulator({ markets: listed, fees, balances, rules });
  const run = new CandleRunner({
    settings: { ...execution, instances, locks },
    markets,
    venue,
    quote: runCurrency(listed, backtest.currency),
    fromMs,
    ...(backtest.restarts === undefined ? {} : { restarts: backtest.restarts }),
    ...(signals === undefined
      ? {}
      : { signals: signals.filter(({ atMs }) => atMs <= lastSignalMs(backtest)) }),
    ...(onProgress === undefined ? {} : { onProgress }),
  }).run();
  return { run, venue };
}

/** Returns the last time of signals, in ms. The end is excluded: a run of the next range gets its signals. */
function lastSignalMs({ signalsToMs = Infinity }: CandleBacktest): number {
  return signalsToMs - 1;
}

export function firstOpenMs(markets: readonly RunMarket[], fromMs: number): number {
  const opens = markets.flatMap(({ columns }) => columns.openTimeMs[firstBarFrom(columns, fromMs)] ?? []);
  return Math.min(...opens);
}

function tradedMarket({ market, columns }: RunMarket, fromMs: number): TradedMarket {
  const scale = columnScale(columns.priceDecimals);
  const first = firstBarFrom(columns, fromMs);
  return {
    market,
    firstPrice: first < columns.length ? cellUnits(columns.open[first] ?? 0, scale) : NO_UNITS,
    lastPrice: cellUnits(columns.close[columns.length - 1] ?? 0, scale),
    candles: barsBetween(columns, first),
  };
}

function warningsOf({ markets, fromMs }: CandleBacktest, unvalued: readonly string[]): readonly RunWarning[] {
  const gaps = markets.flatMap(({ market, columns }) => {
    const missing = missingBars(columns, firstBarFrom(columns, fromMs));
    return missing === 0
      ? []
      : [runWarning('warning.gaps', { market: market.symbol, bars: inDigits(missing) })];
  });
  const [first, ...others] = unvalued.map((currency) => runWarning('warning.words', { text: { currency } }));
  const found = [...gaps, ...detailWarnings(markets, fromMs)];
  if (first === undefined) return found;
  return [...found, runWarning('warning.unvalued', { assets: joinedBy('warning.and', [first, ...others]) })];
}

/** Returns warnings about the bars of each market that are walked whole although finer bars were given. */
export function detailWarnings(markets: readonly RunMarket[], fromMs: number): readonly RunWarning[] {
  return markets.flatMap(({ market, columns, detail }) => {
    if (detail === undefined) return [];
    const from = firstBarFrom(columns, fromMs);
    const bars = barsWithoutDetail(columns, detail, from);
    if (bars === 0) return [];
    const of = { market: market.symbol, timeframe: detail.timeframe };
    const all = inDigits(columns.length - from);
    return [runWarning('warning.noDetail', { ...of, bars: inDigits(bars), all })];
  });
}

function missingBars(columns: CandleColumns, first: number): number {
  const { openTimeMs, length } = columns;
  if (length - first < 2) return 0;
  const bars = gridOfColumns(columns).count(openTimeMs[first] ?? 0, openTimeMs[length - 1] ?? 0);
  return bars + 1 - (length - first);
}
