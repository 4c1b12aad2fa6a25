import { SarrafError, invalidStrategy } from '../domain/errors.ts';
import type { Currency, MarketNames } from '../domain/market-symbol.ts';
import type { Timeframe } from '../domain/candle.ts';
import { groupedText, addUnits, LEAST_UNITS, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import { feeCurrencyOf, type FillRecord } from '../records/fill.ts';
import type { PnlViews, PnlView } from './risk/risk-view.ts';
import { AssetLedger, type AssetLedgerOptions, type MovedCoins } from '../portfolio/asset-ledger.ts';
import type { PnlTrack, PriceOf } from '../portfolio/holding.ts';
import { type StrategyPort, type StrategyLogLine, ownMarketsOf } from '../strategy/strategy-port.ts';
import { isOfOtherVenue, marketsOfSubscription, type PolledSubscription } from '../strategy/subscriptions.ts';
import { nextDueMs } from '../strategy/check-subscriptions.ts';
import type { StrategyInstanceSettings } from './engine-settings.ts';
import { IntentTally } from './intent-tally.ts';
import type { StrategyRecord } from '../records/rows.ts';
import { readInstance, writeInstance } from './strategy-instance-record.ts';
import type { Sentence } from '../language/sentence.ts';

/** Retention of the planning times of orders, in ms: the longest period that a risk check counts. */
const PLANNED_RETAINED_MS = 3_600_000;
const MOST_PLANNED = 10_000;

/** Maximum number of lines of a strategy's log in memory; the mirror has more. */
const MOST_LOGGED = 1_000;

const COMPLAINS_EVERY_MS = 60_000;

interface Timer {
  readonly name: string;
  readonly cron: string;
  nextMs: number;
}

/** A line of a strategy's log with its time, in ms since 1970. */
export type LoggedLine = StrategyLogLine & { readonly atMs: number };

/** A strategy at work: its runner, its holdings and results, and what it has cost. */
export class StrategyInstance {
  readonly settings: StrategyInstanceSettings;
  readonly runner: StrategyPort;
  readonly name: string;
  readonly timers: readonly Timer[];
  status: StrategyRecord['status'] = 'running';
  reason: Sentence | null = null;
  resumesAtMs = Number.POSITIVE_INFINITY;
  /** True if the exchange no longer lists one of its markets; the strategy is paused until it does. */
  isMarketMissing = false;
  /** True if a person has paused it: it gets no events, but its indicators are updated. */
  isPausedByHand = false;
  /** True if it got its `start` event in this process. */
  hasBegun = false;
  /** Times at which its orders were planned, in ms since 1970, ascending. */
  readonly plannedAtMs: number[] = [];
  /** Number of requests that its orders cost, and of fills of these orders. */
  requests = 0;
  fills = 0;
  orders = 0;
  /** Fees paid so far, by currency. */
  readonly fees = new Map<string, bigint>();
  isDirty = true;
  /** The last lines of its log, oldest first. */
  readonly log: LoggedLine[] = [];
  private unkept = 0;
  readonly tally = new IntentTally();
  private complainedAtMs = Number.NEGATIVE_INFINITY;
  /** Holdings and results of the strategy, by asset. */
  readonly ledger: AssetLedger;
  /** Its own market and those of its subscriptions, each once. */
  readonly markets: readonly string[];
  /** Books of other venues that it needs: while one is too old, its orders wait. */
  readonly others: readonly PolledSubscription[];
  /** Quote currencies of its markets. */
  readonly quotes: ReadonlySet<Currency>;
  /** Its capital in quote currencies of its markets; empty if it uses the account's money. */
  readonly capital: ReadonlyMap<string, Units>;
  readonly marketNames: MarketNames;

  /** `sees` is true for markets that the bot follows. */
  constructor(
    settings: StrategyInstanceSettings,
    { marketNames, sees }: Pick<AssetLedgerOptions, 'marketNames' | 'sees'>,
  ) {
    this.settings = settings;
    this.marketNames = marketNames;
    const { bridge, parseMarket } = marketNames;
    this.runner = settings.runner;
    this.name = settings.runner.name;
    this.markets = marketsOf(this.runner);
    this.others = this.runner.subscriptions.filter(isOfOtherVenue);
    this.quotes = new Set(this.markets.map((market) => parseMarket(market).quote));
    this.capital = new Map(
      [...this.quotes].flatMap((quote) => {
        const amount = settings.capital[quote];
        return amount === undefined ? [] : [[quote, amount]];
      }),
    );
    const currency = this.quotes.has(bridge.quote) ? bridge.quote : bridge.base;
    this.ledger = new AssetLedger({ marketNames, currency, quotes: this.quotes, sees });
    this.timers = this.runner.subscriptions.flatMap((wanted) =>
      wanted.kind === 'timer'
        ? [{ name: wanted.name, cron: wanted.cron, nextMs: Number.POSITIVE_INFINITY }]
        : [],
    );
  }

  /**
   * Returns the amount of an asset that its fills and inventory added, less what they removed and the fees,
   * over all its markets. It can be negative.
   */
  held(asset: string): Units {
    return this.ledger.held(asset);
  }

  /**
   * Returns its position in an asset. Zero if it holds less than nothing: money that its purchases spent, or
   * coins that an earlier version let it sell without having them.
   */
  position(asset: string): Units {
    const held = this.held(asset);
    return held > 0n ? held : NO_UNITS;
  }

  /** Returns its capital in a currency plus the result of its trades; null if it uses the account's money. */
  moneyOf(currency: string): Units | null {
    if (this.capital.size === 0) return null;
    return addUnits(this.capital.get(currency) ?? NO_UNITS, this.held(currency));
  }

  /**
   * Coins that its configuration gives it: its inventory, and capital in currencies that are not a quote
   * currency of its markets.
   */
  get givenCoins(): ReadonlyMap<string, Units> {
    const { capital, inventory = {} } = this.settings;
    const given = new Map<string, Units>();
    for (const [asset, amount] of [...Object.entries(capital), ...Object.entries(inventory)])
      if (amount !== undefined && !this.quotes.has(asset)) given.set(asset, amount);
    return given;
  }

  /** Enters given coins in its books (amount above zero), or takes them out again (below zero). */
  applyInventory(asset: string, amount: Units, atMs: number): void {
    const isOf = (market: string): boolean => this.marketNames.parseMarket(market).base === asset;
    const own = isOf(this.runner.market) ? this.runner.market : this.markets.find(isOf);
    this.ledger.applyInventory({ asset, amount, market: own ?? this.runner.market, atMs });
    this.isDirty = true;
  }

  /** Enters coins in its books as a person says: more (above zero) or fewer (below zero). */
  applyCoins(coins: MovedCoins): void {
    this.ledger.applyCoins(coins);
    this.isDirty = true;
  }

  /** Returns the length of the candles of a market that it subscribed to first; null if it uses none. */
  firstTimeframeOf(market: string): Timeframe | null {
    for (const wanted of this.runner.subscriptions)
      if (wanted.kind === 'candles' && wanted.market === market) return wanted.timeframe;
    return null;
  }

  /** Returns its profits in each quote currency of its markets, and in that of the order in question. */
  pnlViews(quote: Currency, nowMs: number): PnlViews {
    const tracks = this.ledger.tracksAt(nowMs, quote);
    return { inCurrencies: [...tracks].map(viewOfTrack), ...this.ledger.state.streak };
  }

  /** Books a fill. `leastAmount`: the smallest order at its price; null if the market is not followed. */
  applyFill(
    fill: FillRecord,
    { leastAmount, priceOf }: { readonly leastAmount: Units | null; readonly priceOf: PriceOf },
  ): void {
    this.fills += 1;
    const market = this.marketNames.parseMarket(fill.market);
    const currency = feeCurrencyOf(fill, market);
    this.fees.set(currency, (this.fees.get(currency) ?? 0n) + fill.fee);
    this.ledger.applyBridge(priceOf, fill.atMs);
    const { side, price, amount, total, fee, feeCurrency, feeValue, atMs } = fill;
    const trade = { market, side, price, amount, total, fee, feeCurrency, feeValue, atMs };
    this.ledger.applyTrade({ ...trade, leastAmount: leastAmount ?? LEAST_UNITS });
    this.isDirty = true;
  }

  /** Corrects booked fills: `by` is the difference, `more` the change of the number of fills. */
  correctFills(by: FillRecord, more: number): void {
    this.fills += more;
    const market = this.marketNames.parseMarket(by.market);
    const currency = feeCurrencyOf(by, market);
    this.fees.set(currency, (this.fees.get(currency) ?? 0n) + by.fee);
    this.ledger.correct({ ...by, market });
    this.isDirty = true;
  }

  /** Applies the last prices of the markets by which its holdings are valued. */
  applyPrices(priceOf: PriceOf, atMs: number): void {
    if (this.ledger.applyPrices(priceOf, atMs)) this.isDirty = true;
  }

  /** Counts a planned order. */
  planned(nowMs: number): void {
    const times = this.plannedAtMs;
    this.orders += 1;
    times.push(nowMs);
    const young = times.findIndex((time) => time >= nowMs - PLANNED_RETAINED_MS);
    const old = Math.max(young, times.length - MOST_PLANNED);
    if (old > 0) times.splice(0, old);
  }

  addLog(line: LoggedLine): void {
    if (this.log.length >= MOST_LOGGED) {
      this.log.shift();
      this.unkept += 1;
    }
    this.log.push(line);
  }

  /** Returns its log for storing. A first line gives the number of dropped lines, if there are any. */
  storedLog(): readonly LoggedLine[] {
    const [first] = this.log;
    if (this.unkept === 0 || first === undefined) return this.log;
    const text = `${groupedText(String(this.unkept))} earlier lines are not kept: the log has the last ${groupedText(String(MOST_LOGGED))}`;
    return [{ atMs: first.atMs, text, fields: null }, ...this.log];
  }

  /** True if it is time to report again that its orders are refused. Then the time is noted. */
  mayComplain(nowMs: number): boolean {
    if (nowMs - this.complainedAtMs < COMPLAINS_EVERY_MS) return false;
    this.complainedAtMs = nowMs;
    return true;
  }

  /** Sets each timer to its next due time. */
  setTimers(nowMs: number): void {
    for (const timer of this.timers) this.setTimer(timer, nowMs);
  }

  setTimer(timer: Timer, nowMs: number): void {
    timer.nextMs = nextDueMs(timer.cron, nowMs);
  }

  /** Returns the strategy's row to store; null if nothing has changed since the last call. */
  drainRecord(nowMs: number): StrategyRecord | null {
    const state = this.runner.drainChangedState();
    if (state === null && !this.isDirty) return null;
    this.isDirty = false;
    const json = writeInstance(this.runner.stateJson(), this);
    return { name: this.name, status: this.status, reason: this.reason, json, atMs: nowMs };
  }

  /** Restores the strategy. Throws `INVALID_STRATEGY` if its stored state does not fit. */
  restore(record: StrategyRecord): void {
    try {
      this.restoreRecord(record);
    } catch (error) {
      if (!(error instanceof SarrafError)) throw error;
      const message = `${this.name}: its stored state can not be taken over: ${error.message}`;
      throw invalidStrategy(message, { cause: error });
    }
  }

  private restoreRecord(record: StrategyRecord): void {
    const { state, requests, fills, orders, fees, capital } = readInstance(record, this.ledger);
    // A strategy that never ran starts with its own initial state.
    if (state !== null) this.runner.restore(JSON.stringify(state));
    this.requests = requests;
    this.fills = fills;
    this.orders = orders;
    for (const [currency, units] of fees) this.fees.set(currency, units);
    // It runs again from now on, whatever ended it before the restart.
    const isSameCapital =
      capital.size === this.capital.size &&
      [...this.capital].every(([currency, units]) => capital.get(currency) === units);
    this.isDirty = record.status !== 'running' || !isSameCapital;
  }
}

/** Returns every market that a strategy trades or reads, each once. */
export function marketsOf({
  market,
  subscriptions,
}: Pick<StrategyPort, 'market' | 'subscriptions'>): readonly string[] {
  return [
    ...new Set([...ownMarketsOf({ market, subscriptions }), ...subscriptions.flatMap(marketsOfSubscription)]),
  ];
}

/** Returns the markets that a strategy can not run without: its own and those named in its subscriptions. */
export function requiredMarkets(runner: Pick<StrategyPort, 'market' | 'subscriptions'>): readonly string[] {
  const named = runner.subscriptions.flatMap((wanted) =>
    'isPooled' in wanted || wanted.kind === 'universe' ? [] : marketsOfSubscription(wanted),
  );
  return [...new Set([...ownMarketsOf(runner), ...named])];
}

/** Returns the markets that are only candidates of universes. */
export function pooledMarkets(instances: readonly StrategyInstance[]): ReadonlySet<string> {
  const pooled = new Set<string>();
  const own = new Set(instances.flatMap(({ runner }) => requiredMarkets(runner)));
  for (const { runner } of instances)
    for (const wanted of runner.subscriptions)
      if ('market' in wanted && wanted.isPooled === true) pooled.add(wanted.market);
  return new Set([...pooled].filter((market) => !own.has(market)));
}

function viewOfTrack([quote, { marks, unvalued }]: readonly [Currency, PnlTrack]): PnlView {
  const { result, dayBeganWith, peakResult } = marks;
  return { quote, dayResult: subtractUnits(result, dayBeganWith), peakResult, result, unvalued };
}
