import { MINUTE_MS } from '../domain/time-text.ts';
import {
  plotFigure,
  budgetFigure,
  equityFigure,
  profitFigure,
  requestsFigure,
} from '../domain/figure-name.ts';
import { tehranDay, tehranInstant } from '../domain/zone-time.ts';
import { retainNewest } from '../domain/retain-newest.ts';
import { MOST_PLOTS, type PlotSeries, type PlotSink } from '../strategy/plots.ts';
import { type Outbox, OutboxPart } from './outbox.ts';
import { restored, type PlotRecord, type StoredTexts, type StoredValue } from './stored-records.ts';
import { addUnits, formatUnits, NO_UNITS, type Units } from '../domain/money.ts';
import { totalIn } from '../portfolio/profit.ts';
import { valueOfAll, type Prices } from '../portfolio/holding.ts';
import { currenciesOfBot, moneyOfStrategies, type EquityOptions } from './strategies/equity-of-bot.ts';
import { type FigureSettings, EnginePart } from './engine-settings.ts';
import type { OrderBlotter } from './orders/order-blotter.ts';
import type { Reconciler } from './fills/reconciler.ts';

/**
 * Maximum number of plotted values that one step writes. A plot of a long past can exceed it; then only the
 * newest value of each series is written.
 */
const MOST_A_STEP = 1_000;

/** Parts of a strategy that its plots need. */
interface Plotting {
  readonly name: string;
  readonly runner: { plots: PlotSink | null };
}

/** A series of one strategy, with its value in the current minute. */
interface LiveSeries {
  readonly name: string;
  /** End of that minute, which is the value's time, in ms since 1970. */
  atMs: number;
  value: number;
}

/**
 * Writes what strategies plot as figures: the last value of each minute, with the time of the minute's end.
 * So the value of a bar has the time of its close, and no value has a time before it was known.
 */
export class LivePlots extends OutboxPart {
  /** Known series by strategy, then by market and name. If a strategy has too many, the oldest is dropped. */
  private readonly known = new Map<string, Map<string, { readonly plot: PlotRecord; live: LiveSeries }>>();
  /** Series by the strategy's plot object. A restarted strategy has new objects for the same series. */
  private readonly series = new WeakMap<PlotSeries, LiveSeries>();
  private readonly waiting = new Set<LiveSeries>();
  private isChanged = false;
  private count = 0;
  private isTooMuch = false;

  constructor(outbox: Outbox, instances: readonly Plotting[]) {
    super(outbox);
    for (const { name, runner } of instances) {
      this.known.set(name, new Map());
      runner.plots = {
        add: (series, atMs, value) => {
          const live = this.series.get(series) ?? this.begin(name, series);
          this.series.set(series, live);
          // A series has one value for each minute, the last one. A bar's value has the time of its close.
          const endMs = Math.ceil(atMs / MINUTE_MS) * MINUTE_MS;
          if (this.waiting.has(live) && live.atMs !== endMs) this.write(live);
          live.atMs = endMs;
          live.value = value;
          this.waiting.add(live);
        },
      };
    }
  }

  /** Restores the known series, which a strategy may not have plotted yet in this process. */
  restore(stored: StoredTexts): void {
    for (const plot of restored(stored, 'plots') ?? [])
      this.known.get(plot.strategy)?.set(keyOf(plot), { plot, live: liveOf(plot) });
  }

  /** Writes the values of minutes that are over. */
  pump(nowMs: number): void {
    this.count = 0;
    for (const series of this.waiting) {
      if (series.atMs > nowMs) continue;
      this.waiting.delete(series);
      this.write(series);
    }
    if (!this.isChanged) return;
    this.isChanged = false;
    this.outbox.persist(
      'plots',
      [...this.known.values()].flatMap((plots) => [...plots.values()].map(({ plot }) => plot)),
    );
  }

  wakeAtMs(): number {
    let wakeAtMs = Number.POSITIVE_INFINITY;
    for (const { atMs } of this.waiting) wakeAtMs = Math.min(wakeAtMs, atMs);
    return wakeAtMs;
  }

  private begin(strategy: string, { market, name, pane, style, color }: PlotSeries): LiveSeries {
    const plot = { strategy, market, name, pane, style, color };
    const plots = this.known.get(strategy);
    const before = plots?.get(keyOf(plot));
    const live = before?.live ?? liveOf(plot);
    if (plots === undefined || JSON.stringify(before?.plot) === JSON.stringify(plot)) return live;
    this.isChanged = true;
    plots.delete(keyOf(plot));
    plots.set(keyOf(plot), { plot, live });
    retainNewest(plots, MOST_PLOTS);
    return live;
  }

  private write({ name, atMs, value }: LiveSeries): void {
    this.count += 1;
    if (this.count > MOST_A_STEP) {
      if (!this.isTooMuch)
        this.outbox.warn(
          `more than ${MOST_A_STEP} values were plotted at one moment: of the others only the newest of each series is kept; that is said once`,
        );
      this.isTooMuch = true;
      return;
    }
    const text = Number.isNaN(value) ? null : String(value);
    this.outbox.change({ kind: 'figure', figure: { name, atMs, value: text } });
  }
}

const keyOf = ({ market, name }: Pick<PlotRecord, 'market' | 'name'>): string => `${market} ${name}`;

const liveOf = ({ strategy, market, name }: PlotRecord): LiveSeries => ({
  name: plotFigure(strategy, market, name),
  atMs: 0,
  value: Number.NaN,
});

/** Interval of the values, in ms. They are written at its multiples, and so at Tehran's midnight too. */
const EVERY_MS = 300_000;

/** Delay before a value without a price is tried again, in ms. */
const RETRY_MS = 30_000;

/** Age from which a price is too old to value anything, in ms. */
const OLDEST_PRICE_MS = 600_000;

interface FigureRecorderOptions extends Omit<EquityOptions, 'views'> {
  readonly settings: FigureSettings;
  readonly outbox: Outbox;
  readonly reconciler: Pick<Reconciler, 'break' | 'books'>;
  readonly blotter: Pick<OrderBlotter, 'unsettled'>;
  /** True if strategies are running: nothing is known of the account before that. */
  readonly hasStarted: () => boolean;
}

/**
 * Writes series of the bot's worth, profits and budgets for later analysis, by the engine's time. It reads
 * and changes nothing else. Anything without a young price gets no value.
 *
 * The equity of the bot is the capital of its strategies with what their trades made of it, and the coins
 * that they hold. If one of them has no capital, all money of its quote currencies counts instead of capital.
 * Coins that others bought and the margin wallets are not included.
 */
export class FigureRecorder extends EnginePart<FigureRecorderOptions> {
  readonly plots: LivePlots;
  private nextAtMs = 0;
  /** Time of the next round of values, even if values of this round are still missing. */
  private dueAtMs = 0;
  /** Names of the series that have a value in this round; at most as many as there are series. */
  private readonly written = new Set<string>();

  /** Limits that were ever used in this life; most never are. */
  private readonly used = new Set<string>();

  /** Requests of the current day by limit, and those of this process that it already contains. */
  private spent: StoredValue<'requests'> = { dayMs: 0, counts: {} };
  private readonly counted = new Map<string, number>();

  constructor(options: FigureRecorderOptions) {
    super(options);
    this.plots = new LivePlots(options.outbox, options.instances);
  }

  restore(stored: StoredTexts): void {
    this.plots.restore(stored);
    this.spent = restored(stored, 'requests') ?? this.spent;
  }

  pump(nowMs: number): void {
    const { hasStarted } = this.options;
    this.plots.pump(nowMs);
    if (nowMs < this.nextAtMs || !hasStarted()) return;
    if (nowMs >= this.dueAtMs) {
      this.written.clear();
      this.dueAtMs = (Math.floor(nowMs / EVERY_MS) + 1) * EVERY_MS;
      this.writeBudgets(nowMs);
    }
    const isWhole = this.writeMoney(nowMs);
    this.nextAtMs = isWhole ? this.dueAtMs : Math.min(this.dueAtMs, nowMs + RETRY_MS);
  }

  wakeAtMs(): number {
    const { hasStarted } = this.options;
    return Math.min(this.plots.wakeAtMs(), hasStarted() ? this.nextAtMs : Number.POSITIVE_INFINITY);
  }

  private writeBudgets(nowMs: number): void {
    const { settings, outbox } = this.options;
    // What was sent since the round before is of the day in which that round was.
    const dayMs = Math.max(this.spent.dayMs, tehranInstant(tehranDay(nowMs - EVERY_MS), 0));
    if (dayMs !== this.spent.dayMs) this.spent = { dayMs, counts: {} };
    const { counts } = this.spent;
    for (const { budget, inUse, limit, sent } of settings.budgets()) {
      const more = sent - (this.counted.get(budget) ?? 0);
      if (more > 0) {
        this.counted.set(budget, sent);
        counts[budget] = (counts[budget] ?? 0) + more;
        const figure = { name: requestsFigure(budget), atMs: dayMs, value: String(counts[budget]) };
        outbox.change({ kind: 'figure', figure });
      }
      if (inUse > 0) this.used.add(budget);
      if (!this.used.has(budget)) continue;
      const value = `${inUse}/${limit}`;
      outbox.change({ kind: 'figure', figure: { name: budgetFigure(budget), atMs: nowMs, value } });
    }
    outbox.persist('requests', this.spent);
  }

  /** Writes the values of money. Returns true if all of them are known. */
  private writeMoney(nowMs: number): boolean {
    const { instances, markets } = this.options;
    const [first] = instances;
    if (first === undefined) return true;
    const prices: Prices = {
      marketNames: first.marketNames,
      priceOf: (market) => markets.priceSince(market, nowMs - OLDEST_PRICE_MS),
    };
    const { currency } = currenciesOfBot(instances, first);
    let made: Units | null = NO_UNITS;
    let isWhole = true;
    for (const { name, ledger } of instances) {
      const result = totalIn(ledger, currency, prices);
      made = made === null || result === null ? null : addUnits(made, result);
      const own = ledger.currency === currency ? result : totalIn(ledger, ledger.currency, prices);
      if (!this.write(profitFigure(name, ledger.currency), own, nowMs)) isWhole = false;
    }
    if (!this.write(profitFigure(null, currency), made, nowMs)) isWhole = false;
    return this.write(equityFigure(currency), this.equity(prices), nowMs) && isWhole;
  }

  private equity(prices: Prices): Units | null {
    const { instances } = this.options;
    const [first] = instances;
    if (first === undefined) return null;
    const { quotes, currency } = currenciesOfBot(instances, first);
    const parts: { readonly asset: string; readonly amount: bigint }[] = [];
    for (const asset of quotes) {
      const amount = this.moneyOf(asset);
      if (amount === null) return null;
      parts.push({ asset, amount });
    }
    for (const { ledger } of instances) {
      for (const [asset, { held }] of ledger.state.holdings)
        if (!quotes.has(asset)) parts.push({ asset, amount: held });
    }
    return valueOfAll(currency, parts, prices);
  }

  /**
   * Returns the amount of a currency: of the strategies' capital, else by the books, which have each trade of
   * the strategies, else by the wallet while nothing is in flight. Null while unknown, as in a break.
   */
  private moneyOf(currency: string): bigint | null {
    const { reconciler, account, blotter, instances } = this.options;
    if (reconciler.break !== null) return null;
    const own = moneyOfStrategies(instances, currency);
    if (own !== null) return own;
    const expected = reconciler.books.expectedOf(currency);
    if (expected !== null || blotter.unsettled() !== null) return expected;
    return account.seenAtMs('balances') === null ? null : account.totalOf(currency);
  }

  /** Writes a value of a series once in a round. Returns true if the series has a value in this round. */
  private write(name: string, units: Units | null, atMs: number): boolean {
    if (this.written.has(name)) return true;
    if (units === null) return false;
    this.written.add(name);
    this.options.outbox.change({ kind: 'figure', figure: { name, atMs, value: formatUnits(units) } });
    return true;
  }
}
