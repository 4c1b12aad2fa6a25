import { resolutionMs } from '../domain/candle.ts';
import { cellUnits, columnScale, type CandleColumns } from '../domain/candle-columns.ts';
import { SarrafError } from '../domain/errors.ts';
import type { Market } from '../domain/market.ts';
import type { QuoteCurrency } from '../domain/market-symbol.ts';
import { UNITS_PER_ONE, type Units } from '../domain/money.ts';
import { divideHalfEven } from '../domain/rounding.ts';
import type { WalletReading } from '../domain/venue-call.ts';
import { Engine } from '../engine/engine.ts';
import type { EngineOutput } from '../engine/engine-command.ts';
import type { EngineEvent } from '../engine/engine-event.ts';
import type { EngineSettings } from '../engine/engine-settings.ts';
import { EMPTY_MIRROR_STATE } from '../engine/mirror-change.ts';
import type { FillRecord } from '../execution/fill-record.ts';
import { isFinal, type OrderRecord } from '../execution/order-record.ts';
import type { EquityCurve } from './backtest-run.ts';
import { BarFeed } from './bar-feed.ts';
import type { CandleVenue } from './candle-venue/candle-venue.ts';
import type { EquityValuer } from './candle-venue/equity-valuer.ts';
import type { LoggedLine } from '../engine/seat.ts';

/** One market with its recorded bars. Those that begin before `fromMs` of the run are the past: they warm strategies up. */
export interface CandleMarket {
  readonly market: Market;
  readonly columns: CandleColumns;
}

export interface CandleRunOptions {
  /** Without markets, feeds and reconciliation, which a run on bars has of its own. */
  readonly settings: Omit<EngineSettings, 'markets' | 'feeds' | 'reconciliation'>;
  readonly markets: readonly CandleMarket[];
  readonly venue: CandleVenue;
  readonly quote: QuoteCurrency;
  readonly fromMs: number;
  /** Told now and then, for long runs: bars that went by, and all there are. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** What a run on bars did. */
export interface CandleRun {
  readonly orders: readonly OrderRecord[];
  readonly fills: readonly FillRecord[];
  readonly curve: EquityCurve;
  readonly initialEquity: Units;
  readonly finalEquity: Units;
  readonly bars: number;
  readonly failures: ReadonlyMap<string, string>;
  /** What strategies logged, by their names: the last lines of each. */
  readonly logs: ReadonlyMap<string, readonly LoggedLine[]>;
}

/** Steps of one moment at most: a strategy that answers every answer with another order would never end. */
const MOST_STEPS_A_MOMENT = 10_000;

const NO_EVENTS: readonly EngineEvent[] = [];

const PROGRESS_EVERY_BARS = 50_000;

/** Bars of one market on their way through a run. */
interface Lane {
  readonly index: number;
  readonly market: Market;
  readonly columns: CandleColumns;
  readonly feeds: readonly BarFeed[];
  readonly barMs: number;
  next: number;
  closeMs: number;
}

/**
 * Runs the engine through recorded bars. At the close of each bar the exchange first fills what was open while it ran, the engine is told, and then the
 * strategies see the bar. Nothing that is later than the moment is reachable from any of them: the engine is handed one bar at a time.
 */
export class CandleRunner {
  private readonly options: CandleRunOptions;
  private readonly engine: Engine;
  private readonly lanes: readonly Lane[];
  /** In the order in which they were planned. */
  private readonly orders: OrderRecord[] = [];
  /** Where in the list those are that have not come to their end. */
  private readonly places = new Map<string, number>();
  private readonly fills: FillRecord[] = [];
  private readonly timeMs: Float64Array;
  private readonly equity: Float64Array;
  private readonly isExposed: Uint8Array;
  private points = 0;
  /** Bars that have gone by. */
  private done = 0;
  private wakeAtMs = Number.POSITIVE_INFINITY;
  private wallets: readonly WalletReading[] = [];
  private readonly valuer: EquityValuer;

  constructor(options: CandleRunOptions) {
    this.options = options;
    const { settings, markets, fromMs } = options;
    this.engine = new Engine(
      {
        ...settings,
        markets: markets.map(({ market }) => market),
        feeds: [],
        reconciliation: null,
        isRestartable: false,
        isJournaled: false,
      },
      { ...EMPTY_MIRROR_STATE, epoch: 'back' },
      fromMs,
    );
    this.lanes = markets.map((market, index) => this.laneOf(market, index));
    const bars = this.lanes.reduce((sum, { columns, next }) => sum + columns.length - next, 0);
    this.timeMs = new Float64Array(bars);
    this.equity = new Float64Array(bars);
    this.isExposed = new Uint8Array(bars);
    this.valuer = options.venue.valuer(options.quote);
  }

  /** Runs to the last bar. Throws `INVALID_OPTIONS` where there is none. */
  run(): CandleRun {
    const total = this.timeMs.length;
    if (total === 0) throw new SarrafError('INVALID_OPTIONS', 'expected bars to run through, were none in this range');
    const initialEquity = this.begin();
    while (this.closeSome()) this.options.onProgress?.(this.done, total);
    this.options.onProgress?.(this.done, total);
    for (const order of this.engine.unfinishedOrders()) this.noteOrder(order);
    return {
      orders: this.orders,
      fills: this.fills,
      curve: { length: this.points, timeMs: this.timeMs, equity: this.equity, isExposed: this.isExposed },
      initialEquity,
      finalEquity: this.valuer.exact(),
      bars: this.done,
      failures: this.failures(),
      logs: new Map(this.engine.seats.map(({ name, log }) => [name, log] as const)),
    };
  }

  /** Closes as many bars as are worth a word on the way. Answers whether there may be more. */
  private closeSome(): boolean {
    const untilDone = this.done + PROGRESS_EVERY_BARS;
    while (this.done < untilDone) {
      const closeMs = this.nextCloseMs();
      if (closeMs === Number.POSITIVE_INFINITY) return false;
      this.wakeUntil(closeMs);
      this.done += this.closeBars(closeMs);
    }
    return true;
  }

  /** Tells the engine of the wallets, so that strategies start with them. Answers what the account is worth. */
  private begin(): Units {
    const { fromMs } = this.options;
    this.takeWallets(fromMs);
    this.step({ kind: 'account', atMs: fromMs, orders: [], trades: [], wallets: this.wallets });
    return this.firstEquity();
  }

  private laneOf({ market, columns }: CandleMarket, index: number): Lane {
    const { fromMs } = this.options;
    const spans = new Set(
      this.engine.seats.flatMap(({ runner }) =>
        runner.subscriptions.flatMap((wanted) =>
          wanted.kind === 'candles' && wanted.market === market.symbol ? [wanted.span] : [],
        ),
      ),
    );
    const feeds = [...spans].map((span) => new BarFeed(columns, span));
    const barMs = resolutionMs(columns.resolution);
    let next = 0;
    for (; next < columns.length && (columns.openTimeMs[next] ?? 0) < fromMs; next += 1) this.warmUp(feeds, next);
    const closeMs = next < columns.length ? (columns.openTimeMs[next] ?? 0) + barMs : Number.POSITIVE_INFINITY;
    return { index, market, columns, feeds, barMs, next, closeMs };
  }

  /** The past feeds indicators and histories, without a strategy being asked. */
  private warmUp(feeds: readonly BarFeed[], index: number): void {
    for (const feed of feeds) {
      for (const bar of feed.closedBy(index)) {
        for (const { runner } of this.engine.seats) runner.warmUp(bar);
      }
    }
  }

  private nextCloseMs(): number {
    let closeMs = Number.POSITIVE_INFINITY;
    for (const lane of this.lanes) if (lane.closeMs < closeMs) closeMs = lane.closeMs;
    return closeMs;
  }

  /** Timers and programs whose time comes before the next bar closes. */
  private wakeUntil(closeMs: number): void {
    while (this.wakeAtMs < closeMs) {
      const atMs = this.wakeAtMs;
      this.step({ kind: 'tick', atMs });
      if (this.wakeAtMs <= atMs) this.wakeAtMs = atMs + 1;
    }
  }

  private closeBars(closeMs: number): number {
    const { venue } = this.options;
    let closed = 0;
    let hasChanged = false;
    for (const lane of this.lanes) {
      if (lane.closeMs === closeMs && venue.onCandle(lane.index, lane.columns, lane.next)) hasChanged = true;
    }
    if (hasChanged) for (const event of this.news(closeMs)) this.step(event);
    for (const lane of this.lanes) {
      if (lane.closeMs !== closeMs) continue;
      for (const feed of lane.feeds) {
        if (feed.isOneToOne) this.step({ kind: 'bar', atMs: closeMs, bar: feed.same(lane.next) });
        else for (const bar of feed.closedBy(lane.next)) this.step({ kind: 'bar', atMs: closeMs, bar });
      }
      this.advance(lane);
      closed += 1;
    }
    this.addPoint(closeMs);
    return closed;
  }

  private advance(lane: Lane): void {
    lane.next += 1;
    const { columns, next, barMs } = lane;
    lane.closeMs = next < columns.length ? (columns.openTimeMs[next] ?? 0) + barMs : Number.POSITIVE_INFINITY;
  }

  /** One event, and everything that the exchange answers to it at the same moment. */
  private step(event: EngineEvent): void {
    const first = this.engine.step(event);
    this.note(first);
    if (first.requests.length === 0) return;
    const events = this.answersTo(first, event.atMs);
    for (let steps = 0; steps < MOST_STEPS_A_MOMENT; steps += 1) {
      const next = events.shift();
      if (next === undefined) return;
      const output = this.engine.step(next);
      this.note(output);
      if (output.requests.length > 0) events.push(...this.answersTo(output, event.atMs));
    }
    throw new SarrafError('INVARIANT', `the engine was still at work after ${MOST_STEPS_A_MOMENT} steps of one moment`);
  }

  private answersTo({ requests }: EngineOutput, atMs: number): EngineEvent[] {
    const { venue } = this.options;
    const answers: EngineEvent[] = requests.map(({ id, call }) => ({
      kind: 'answer',
      atMs,
      requestId: id,
      sentAtMs: atMs,
      answer: venue.answer(call, atMs),
    }));
    return [...answers, ...this.news(atMs)];
  }

  /** What has changed at the exchange, as an event; none where nothing has. */
  private news(atMs: number): readonly EngineEvent[] {
    const { orders, trades, walletsChanged } = this.options.venue.take();
    if (orders.length === 0 && trades.length === 0 && !walletsChanged) return NO_EVENTS;
    if (walletsChanged) this.takeWallets(atMs);
    return [{ kind: 'account', atMs, orders, trades, wallets: this.wallets }];
  }

  private note({ changes, wakeAtMs }: EngineOutput): void {
    this.wakeAtMs = wakeAtMs;
    if (changes.length === 0) return;
    for (const change of changes) {
      if (change.kind === 'order') this.noteOrder(change.order);
      else if (change.kind === 'fill') this.fills.push(change.fill);
    }
  }

  /** Keeps an order as it is now, at the place of its plan. */
  private noteOrder(order: OrderRecord): void {
    const { key } = order;
    const place = this.places.get(key);
    if (place !== undefined) this.orders[place] = order;
    else if (isFinal(order)) this.orders.push(order);
    else this.places.set(key, this.orders.push(order) - 1);
    if (place !== undefined && isFinal(order)) this.places.delete(key);
  }

  private takeWallets(atMs: number): void {
    const answer = this.options.venue.answer({ kind: 'wallets' }, atMs);
    if (answer.outcome === 'value') this.wallets = answer.value as readonly WalletReading[];
  }

  private addPoint(closeMs: number): void {
    const { points, valuer } = this;
    this.timeMs[points] = closeMs;
    this.equity[points] = valuer.number();
    this.isExposed[points] = valuer.isExposed() ? 1 : 0;
    this.points = points + 1;
  }

  /** What the account is worth before the first bar of the run, at the opens. */
  private firstEquity(): Units {
    const { venue, quote } = this.options;
    let equity: bigint = venue.balance(quote).total;
    for (const { market, columns, next } of this.lanes) {
      const price = cellUnits(columns.open[next] ?? 0, columnScale(columns.priceDecimals));
      equity += divideHalfEven(venue.balance(market.src).total * price, UNITS_PER_ONE);
    }
    return equity as Units;
  }

  private failures(): ReadonlyMap<string, string> {
    return new Map(
      this.engine.seats.flatMap(({ runner }) =>
        runner.failure === null ? [] : [[runner.name, runner.failure] as const],
      ),
    );
  }
}
