import { placeText } from '../../strategy/universe/own-markets.ts';
import { createHash } from 'node:crypto';
import { withCaveats, type BacktestRun } from '../backtest-run.ts';
import type { PollRules } from '../../venues/recorded/poll-rules.ts';
import { refuseUnvalued, runCurrency } from '../run-currency.ts';
import { runPoll, type PollMarket } from '../poll/run-poll.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { Market } from '../../domain/market.ts';
import { parseUnits } from '../../domain/money.ts';
import type { StrategyInstanceSettings } from '../../engine/engine-settings.ts';
import { EARLIEST_MS, LATEST_MS, partitionsWithin } from '../../recording/read-partitions.ts';
import {
  keptConfig,
  marketFor,
  backtestMarketsOf,
  backtestInstancesOf,
  withBridge,
  type BacktestRequest,
} from './candle-backtest.ts';
import { openCatalogue } from '../../daemon/open-catalogue.ts';
import { recordedMarkets, universeCaveats, universeRulesOf } from './available-markets.ts';
import { recordedBars } from './recorded-bars.ts';

export interface PollRequest extends Pick<
  BacktestRequest,
  'config' | 'fromMs' | 'toMs' | 'steps' | 'currency'
> {
  readonly catalogue: string;
  readonly rules: Partial<PollRules>;
  /** Called now and then: books and trades that went by, and how much of the time that was recorded. */
  readonly onProgress?: (rows: number, share: number) => void;
}

const CURVE_EVERY_MS = 1_000;

/** A run of a day has a point a second; longer ones fewer. */
const MOST_POINTS = 86_400;

/**
 * Runs the whole bot of a configuration against the recorded books and trades of the catalogue. Throws
 * `INVALID_OPTIONS` where the plan does not fit the limits or the markets do not tell what everything is
 * worth in one currency, `DATA_UNUSABLE` where no books are recorded.
 */
export async function runPollBacktest(
  request: PollRequest,
): Promise<{ readonly run: BacktestRun; readonly problems: readonly string[] }> {
  const { config, fromMs, toMs, rules } = request;
  const { instances, problems } = await backtestInstancesOf(config, {
    available: () => recordedMarkets(request.catalogue, 'books'),
  });
  const symbols = withBridge(backtestMarketsOf(instances), request.currency);
  const markets = symbols.map((symbol) => marketFor(symbol, request));
  const quote = runCurrency(markets, request.currency);
  refuseUnvalued(markets, quote);
  const startedMs = performance.now();
  const run = await runPoll({
    settings: {
      ...config.execution,
      instance: config.instance,
      instances,
      locks: config.locks,
      reconciliation: config.reconciliation,
    },
    markets: await Promise.all(markets.map(async (market) => recordedMarket(market, request, instances))),
    fees: config.paper.fees,
    balances: Object.fromEntries(
      Object.entries(config.paper.balances).map(([currency, text]) => [currency, parseUnits(text)]),
    ),
    quote,
    limits: config.exchange.limits,
    headroom: config.exchange.headroom,
    rules,
    curveEveryMs: curveEveryMs(fromMs, toMs),
    ...(fromMs === null ? {} : { fromMs }),
    ...(toMs === null ? {} : { toMs }),
    ...progressOf(request, symbols),
  });
  const { orders, fills, curve, initialEquity, finalEquity, fidelity, warnings, failures, logs, events } =
    run;
  return {
    problems,
    run: {
      fidelity: withCaveats(
        fidelity,
        universeCaveats(universeRulesOf(instances), { markets: markets.length, hasBooks: true }),
      ),
      quote,
      fromMs: run.fromMs,
      toMs: run.toMs,
      barMs: curveEveryMs(fromMs, toMs),
      initialEquity,
      finalEquity,
      curve,
      markets: run.markets,
      strategies: instances.map(({ runner }) => ({
        name: runner.name,
        market: placeText(runner),
        params: runner.params,
        failure: failures.get(runner.name) ?? null,
        log: logs.get(runner.name) ?? [],
      })),
      intents: run.intents,
      locks: run.locks,
      members: run.members,
      orders,
      fills,
      requests: run.requests.reduce((sum, { requests }) => sum + requests, 0),
      warnings,
      config: keptConfig(config, {
        fromMs,
        toMs,
        rules: keptRules(rules),
        requests: run.requests,
        journalHash: run.journalHash,
      }),
      timing: { loadMs: 0, fromCache: false, runMs: Math.round(performance.now() - startedMs), events },
    },
  };
}

/** How far the bot's time is of what was recorded. */
function progressOf(
  { onProgress, catalogue: root, fromMs, toMs }: PollRequest,
  symbols: readonly MarketSymbol[],
): { readonly onProgress?: (atMs: number, rows: number) => void } {
  if (onProgress === undefined) return {};
  const catalogue = openCatalogue(root);
  const parts = symbols.flatMap((market) => catalogue.manifest({ market, kind: 'books' })?.partitions ?? []);
  const beginMs = fromMs ?? Math.min(...parts.map((part) => part.fromMs));
  const endMs = Math.min(toMs ?? Number.POSITIVE_INFINITY, Math.max(...parts.map((part) => part.toMs)));
  const shareAt = (atMs: number): number =>
    Math.min(1, Math.max(0, (atMs - beginMs) / Math.max(1, endMs - beginMs)));
  return { onProgress: (atMs, rows) => onProgress(rows, shareAt(atMs)) };
}

/**
 * Of thousands of round trips it is kept how many they are and which; the fidelity says what they were like.
 */
function keptRules({ latency, ...rules }: Partial<PollRules>): unknown {
  if (latency?.kind !== 'drawn') return latency === undefined ? rules : { ...rules, latency };
  const { roundTripsMs, orderTripsMs = [], ...drawn } = latency;
  const sha256 = createHash('sha256')
    .update(JSON.stringify([roundTripsMs, orderTripsMs]))
    .digest('hex');
  const kept = { ...drawn, roundTrips: roundTripsMs.length, orderTrips: orderTripsMs.length, sha256 };
  return { ...rules, latency: kept };
}

async function recordedMarket(
  market: Market,
  { catalogue: root, fromMs, toMs }: PollRequest,
  instances: readonly StrategyInstanceSettings[],
): Promise<PollMarket> {
  const catalogue = openCatalogue(root);
  const { symbol } = market;
  const books = catalogue.manifest({ market: symbol, kind: 'books' });
  if (books === null) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected recorded books of ${symbol} in ${root}, found none: record some with "sarraf record", import a depth feed, try --catalogue data/example, or leave --fidelity poll out`,
    );
  }
  // What was recorded before the beginning is the past, which the bot may know.
  const question = { market: symbol, fromMs: EARLIEST_MS, toMs: toMs ?? LATEST_MS };
  const isThere = (kind: 'trades' | 'stats'): boolean =>
    partitionsWithin(root, { market: symbol, kind }, question).length > 0;
  const range = {
    fromMs: fromMs ?? books.partitions[0]?.fromMs ?? EARLIEST_MS,
    toMs: Math.min(question.toMs, books.partitions.at(-1)?.toMs ?? LATEST_MS),
  };
  return {
    market,
    books: catalogue.readBookColumns(question),
    trades: isThere('trades') ? catalogue.readTradeColumns(question) : null,
    stats: isThere('stats') ? catalogue.readStats(question) : null,
    bars: await recordedBars(catalogue, { market: symbol, instances, range }),
  };
}

function curveEveryMs(fromMs: number | null, toMs: number | null): number {
  if (fromMs === null || toMs === null) return CURVE_EVERY_MS;
  return Math.max(CURVE_EVERY_MS, Math.ceil((toMs - fromMs) / MOST_POINTS / CURVE_EVERY_MS) * CURVE_EVERY_MS);
}
