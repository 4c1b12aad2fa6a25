import { createHash } from 'node:crypto';
import { withCaveats, type BacktestRun, ranStrategies, recordPlots } from './backtest-run.ts';
import type { PollRules } from '../venues/fill-rules.ts';
import { refuseUnvalued, runCurrency, universeCaveats, universeRulesOf } from './run-currency.ts';
import type { PollMarket, PollRunOptions } from './poll/run-poll.ts';
import { otherMarketOf, type MarketSymbol } from '../domain/market-symbol.ts';
import { type SarrafError, invalidOptions } from '../domain/errors.ts';
import type { Market } from '../domain/market.ts';
import { parseUnits } from '../domain/money.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import { LATEST_MS } from '../recording/read-rows.ts';
import {
  configTerms,
  signalTerms,
  signalsOf,
  marketFor,
  backtestMarketsOf,
  backtestInstancesOf,
  withBridge,
  type BacktestRequest,
} from './candle-backtest.ts';
import type { Recordings, RecordedCandles } from './recordings.ts';
import type { BarRecording } from './poll/recorded-feed.ts';
import { isOfOtherVenue } from '../strategy/subscriptions.ts';
import { gridOf, liesInside, type BarAnchors, timeframeMs, type Timeframe } from '../domain/candle.ts';
import type { TimeRange } from '../recording/records.ts';

export interface PollRequest extends Pick<
  BacktestRequest,
  'config' | 'fromMs' | 'toMs' | 'steps' | 'currency' | 'isDrawn' | 'signals'
> {
  readonly recordings: Recordings;
  readonly rules: Partial<PollRules>;
  /** Called from time to time: processed books and trades, and the share of the recorded time, 0 to 1. */
  readonly onProgress?: (rows: number, share: number) => void;
}

const CURVE_EVERY_MS = 1_000;

/** Maximum number of points of a curve: one per second for a day; in a longer run they lie further apart. */
const MOST_POINTS = 86_400;

/**
 * Runs the whole bot of a configuration on the recorded books and trades of the catalogue. Throws
 * `INVALID_OPTIONS` where the plan exceeds the limits, or where the markets cannot value everything in one
 * currency, and `DATA_UNUSABLE` where no books are recorded.
 */
export async function runPollBacktest(
  request: PollRequest,
): Promise<{ readonly run: BacktestRun; readonly problems: readonly string[] }> {
  const { config, fromMs, toMs, rules } = request;
  const { instances, symbols, others, problems } = await marketsOfPoll(request);
  const markets = symbols.map((symbol) => marketFor(symbol, request));
  const quote = runCurrency(markets, request.currency);
  refuseUnvalued(markets, quote);
  const plots = recordPlots(request.isDrawn === true ? instances : []);
  const startedMs = performance.now();
  // Loaded here, since runs on bars do not need the exchange that follows recorded books.
  const { runPoll } = await import('./poll/run-poll.ts');
  const run = await runPoll({
    settings: {
      ...config.execution,
      instance: config.instance,
      instances,
      locks: config.locks,
      reconciliation: config.reconciliation,
    },
    markets: await Promise.all(markets.map(async (market) => recordedMarket(market, request, instances))),
    ...(others.length === 0 ? {} : await otherRecordings(others, request)),
    fees: config.paper.fees,
    balances: Object.fromEntries(
      Object.entries(config.paper.balances).map(([currency, text]) => [currency, parseUnits(text)]),
    ),
    quote,
    limits: config.exchange.limits,
    headroom: config.exchange.headroom,
    rules,
    signals: await signalsOf(request, instances),
    curveEveryMs: curveEveryMs(fromMs, toMs),
    ...(fromMs === null ? {} : { fromMs }),
    ...(toMs === null ? {} : { toMs }),
    ...progressOf(request, symbols),
  });
  const { fidelity, events, requests, journalHash, plan: _plan, failures, logs, ...record } = run;
  return {
    problems,
    run: {
      ...record,
      fidelity: withCaveats(
        fidelity,
        universeCaveats(universeRulesOf(instances), { markets: markets.length, hasBooks: true }),
      ),
      quote,
      barMs: curveEveryMs(fromMs, toMs),
      strategies: ranStrategies(instances, { failures, logs }),
      plots: plots(),
      requests: requests.reduce((sum, { requests: sent }) => sum + sent, 0),
      config: configTerms(config, {
        fromMs,
        toMs,
        rules: ruleTerms(rules),
        ...signalTerms(request),
        requests,
        journalHash,
      }),
      timing: { loadMs: 0, fromCache: false, runMs: Math.round(performance.now() - startedMs), events },
    },
  };
}

/** Returns the callback for progress, which converts the bot's time into a share of the recorded time. */
function progressOf(
  { onProgress, recordings, fromMs, toMs }: PollRequest,
  symbols: readonly MarketSymbol[],
): { readonly onProgress?: (atMs: number, rows: number) => void } {
  if (onProgress === undefined) return {};
  const spans = symbols.flatMap((market) => recordings.span(market) ?? []);
  const beginMs = fromMs ?? Math.min(...spans.map((span) => span.fromMs));
  const endMs = Math.min(toMs ?? Number.POSITIVE_INFINITY, Math.max(...spans.map((span) => span.toMs)));
  return {
    onProgress: (atMs, rows) =>
      onProgress(rows, Math.min(1, Math.max(0, (atMs - beginMs) / Math.max(1, endMs - beginMs)))),
  };
}

/** Returns the rules as a result stores them. Round trips may be thousands: only number and hash. */
function ruleTerms({ latency, ...rules }: Partial<PollRules>): unknown {
  if (latency?.kind !== 'drawn') return latency === undefined ? rules : { ...rules, latency };
  const { roundTripsMs, orderTripsMs = [], ...drawn } = latency;
  const sha256 = createHash('sha256')
    .update(JSON.stringify([roundTripsMs, orderTripsMs]))
    .digest('hex');
  const terms = { ...drawn, roundTrips: roundTripsMs.length, orderTrips: orderTripsMs.length, sha256 };
  return { ...rules, latency: terms };
}

/** Creates the error for a market without recorded books; it says what to do. */
export function noBooks(market: MarketSymbol, place: string): SarrafError {
  const remedy =
    otherMarketOf(market) === null
      ? 'record some with "sarraf record", import a depth feed, try the catalogue data/example, or take the fidelity candles'
      : 'record both exchanges with "sarraf run --record" and a configuration whose venues name this one';
  return invalidOptions(`expected recorded books of ${market} in ${place}, found none: ${remedy}`);
}

/** Returns the markets that a run needs data of. Throws `INVALID_STRATEGY` where no strategy can run. */
export async function marketsOfPoll({
  config,
  recordings,
  currency,
}: Pick<PollRequest, 'config' | 'recordings' | 'currency'>): Promise<{
  readonly instances: readonly StrategyInstanceSettings[];
  readonly symbols: readonly MarketSymbol[];
  /** Markets of other venues whose books are read. */
  readonly others: readonly MarketSymbol[];
  readonly problems: readonly string[];
}> {
  const { instances, problems } = await backtestInstancesOf(config, { available: recordings.markets });
  const others = new Set(
    instances.flatMap(({ runner }) =>
      runner.subscriptions.filter(isOfOtherVenue).map(({ market }) => market),
    ),
  );
  return {
    instances,
    problems,
    symbols: withBridge(backtestMarketsOf(instances), currency),
    others: [...others] as MarketSymbol[],
  };
}

/** Returns the recorded books of markets of other venues. Throws `INVALID_OPTIONS` where there are none. */
async function otherRecordings(
  others: readonly MarketSymbol[],
  { config, recordings, toMs }: PollRequest,
): Promise<Pick<PollRunOptions, 'others' | 'otherBooks'>> {
  const missing = others.find((market) => recordings.span(market) === null);
  if (missing !== undefined) throw noBooks(missing, recordings.name);
  const names = others.flatMap((market) => otherMarketOf(market)?.venue ?? []);
  // Loaded here, since few runs read other venues.
  const { recordedVenues } = await import('../venues/other-venues.ts');
  return {
    others: await recordedVenues(names, config),
    otherBooks: others.map((market) => ({
      market,
      books: recordings.tracks(market, toMs ?? LATEST_MS).books,
    })),
  };
}

async function recordedMarket(
  market: Market,
  { recordings, fromMs, toMs }: PollRequest,
  instances: readonly StrategyInstanceSettings[],
): Promise<PollMarket> {
  const { symbol } = market;
  const span = recordings.span(symbol);
  if (span === null) throw noBooks(symbol, recordings.name);
  // Recordings before the start are the past, which the bot may know.
  const endMs = toMs ?? LATEST_MS;
  const range = { fromMs: fromMs ?? span.fromMs, toMs: Math.min(endMs, span.toMs) };
  return {
    market,
    ...recordings.tracks(symbol, endMs),
    bars: await recordedBars(recordings.candles, { market: symbol, instances, range }),
  };
}

function curveEveryMs(fromMs: number | null, toMs: number | null): number {
  if (fromMs === null || toMs === null) return CURVE_EVERY_MS;
  return Math.max(CURVE_EVERY_MS, Math.ceil((toMs - fromMs) / MOST_POINTS / CURVE_EVERY_MS) * CURVE_EVERY_MS);
}

/** Factor on the history that strategies need, when past bars are searched, since some may be missing. */
const SPARE = 2;

/**
 * Returns the recorded bars of a market that its strategies read, with the history they need: bars of the
 * same timeframe, else the longest shorter ones that they can be built from. Empty where none are recorded.
 * Throws as `readCandles` does for a damaged file.
 */
export async function recordedBars(
  candles: RecordedCandles,
  of: {
    readonly market: MarketSymbol;
    readonly instances: readonly StrategyInstanceSettings[];
    readonly range: TimeRange;
  },
): Promise<readonly BarRecording[]> {
  const { market, instances, range } = of;
  const recorded = candles.timeframes(market);
  /** Required history of each timeframe, in ms. */
  const reachMs = new Map<Timeframe, number>();
  for (const { runner } of instances) {
    for (const wanted of runner.subscriptions) {
      if (wanted.kind !== 'candles' || wanted.market !== market) continue;
      const lengthMs = timeframeMs(wanted.timeframe);
      const neededMs = (runner.warmUpLength(wanted) + 1) * lengthMs * SPARE;
      // Bars outside the range are of no use and must not hide shorter ones inside it.
      const fromMs = range.fromMs - neededMs;
      const there = recorded.filter((timeframe) =>
        candles.reachInto({ market, timeframe }, { fromMs, toMs: range.toMs }),
      );
      const source = sourceOf(wanted.timeframe, there, (timeframe) => candles.anchors({ market, timeframe }));
      if (source === null) continue;
      reachMs.set(source, Math.max(neededMs, reachMs.get(source) ?? 0));
    }
  }
  const all = await Promise.all(
    [...reachMs].map(async ([timeframe, neededMs]): Promise<BarRecording | null> => {
      const key = { market, timeframe };
      const columns = await candles.read(key, { fromMs: range.fromMs - neededMs, toMs: range.toMs });
      return columns === null ? null : { columns, covered: candles.covered(key) };
    }),
  );
  return all.filter((bars) => bars !== null);
}

function sourceOf(
  wanted: Timeframe,
  there: readonly Timeframe[],
  anchorsOf: (timeframe: Timeframe) => BarAnchors,
): Timeframe | null {
  const [coarsest] = there
    .filter((timeframe) => {
      const anchors = anchorsOf(timeframe);
      return liesInside(gridOf(timeframe, anchors), gridOf(wanted, anchors));
    })
    .toSorted((left, right) => timeframeMs(right) - timeframeMs(left));
  return coarsest ?? null;
}
