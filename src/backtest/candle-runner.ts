import { cellUnits, columnScale, type CandleColumns } from '../domain/candle-columns.ts';
import { SarrafError } from '../domain/errors.ts';
import type { Market } from '../domain/market.ts';
import type { Currency } from '../domain/market-symbol.ts';
import type { Units } from '../domain/money.ts';
import type { VenueAnswer, VenueCall, WalletReading } from '../venues/port.ts';
import { Engine } from '../engine/engine.ts';
import type { EngineOutput } from '../engine/engine-command.ts';
import type { EngineEvent, VenueEvent } from '../engine/engine-event.ts';
import type { EngineSettings } from '../engine/engine-settings.ts';
import { EMPTY_MIRROR_STATE } from '../engine/mirror-change.ts';
import type { FillRecord } from '../execution/fill-record.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import type { ClosedCandle } from '../strategy/strategy-event.ts';
import { intentsOf, type EquityCurve, type StrategyIntents } from './backtest-run.ts';
import { BarFeed } from './bar-feed.ts';
import { BarLane } from './bar-lane.ts';
import { EquityRecorder } from './equity-recorder.ts';
import { RunRecords } from './run-records.ts';
import type { BarFillSimulator } from '../venues/bars/bar-fill-simulator.ts';
import type { EquityValuer } from '../venues/bars/equity-valuer.ts';
import type { LoggedLine } from '../engine/strategy-instance.ts';

/**
 * One market with its recorded bars. Those that begin before `fromMs` of the run are the past: they warm
 * strategies up.
 */
export interface RunMarket {
  readonly market: Market;
  readonly columns: CandleColumns;
}

export interface CandleRunOptions {
  /** Without markets, feeds and reconciliation, which a run on bars has of its own. */
  readonly settings: Omit<EngineSettings, 'markets' | 'feeds' | 'reconciliation' | 'venue'>;
  readonly markets: readonly RunMarket[];
  readonly venue: BarFillSimulator;
  readonly quote: Currency;
  readonly fromMs: number;
  /** Answers a call in place of the exchange; null leaves it to the exchange. */
  readonly answerInstead?: (call: VenueCall) => VenueAnswer | null;
  /** Called now and then, for long runs: bars that went by, and all there are. */
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
  readonly intents: readonly StrategyIntents[];
}

/** The only market of a run, whose strategies see its bars as they were recorded. */
interface OnlyLane {
  readonly lane: BarLane;
  readonly feed: BarFeed;
}

/** Steps of one moment at most: a strategy that answers every answer with another order would never end. */
const MOST_STEPS_A_MOMENT = 10_000;

/** Often enough for a slow strategy; who reports progress looks at the clock. */
const PROGRESS_EVERY_BARS = 1_000;

/**
 * Runs the engine through recorded bars. As a bar begins the exchange fills what takes at its open, and the
 * engine gets the news. As it closes the exchange fills what was open while it ran, the engine gets the news,
 * and then the strategies see the bar; then come timers of that moment. Nothing that is later than the moment
 * is reachable from any of them: the engine gets one bar at a time.
 */
export class CandleRunner {
  private readonly options: CandleRunOptions;
  private readonly engine: Engine;
  private readonly lanes: readonly BarLane[];
  private readonly records = new RunRecords();
  private readonly equity: EquityRecorder;
  /** Bars that there are to run through. */
  private readonly total: number;
  /** Bars that have gone by. */
  private done = 0;
  private wakeAtMs = Number.POSITIVE_INFINITY;
  /** Whether there is one market, and the strategies see its bars as they were recorded. */
  private readonly isShownAsRecorded: boolean;
  /** That market, where they see it in no other way. */
  private readonly only: OnlyLane | null;
  private wallets: readonly WalletReading[] = [];
  private readonly valuer: EquityValuer;

  constructor(options: CandleRunOptions) {
    this.options = options;
    const { settings, markets, fromMs } = options;
    this.engine = new Engine(
      {
        ...settings,
        venue: options.venue.profile,
        markets: markets.map(({ market }) => market),
        feeds: [],
        reconciliation: null,
        isRestartable: false,
        isJournaled: false,
        isWatched: false,
      },
      { ...EMPTY_MIRROR_STATE, epoch: 'back' },
      fromMs,
    );
    this.lanes = markets.map((market, index) => this.laneOf(market, index));
    const [lane] = this.lanes;
    this.isShownAsRecorded =
      this.lanes.length === 1 && lane?.feeds.some(({ isOneToOne }) => isOneToOne) === true;
    const [feed, other] = lane?.feeds ?? [];
    this.only =
      this.isShownAsRecorded && lane !== undefined && feed !== undefined && other === undefined
        ? { lane, feed }
        : null;
    this.total = this.lanes.reduce((sum, { columns, next }) => sum + columns.length - next, 0);
    this.valuer = options.venue.valuer(
      options.quote,
      new Map(this.lanes.flatMap((lane) => firstPriceOf(lane) ?? [])),
    );
    this.equity = new EquityRecorder(this.total, this.valuer);
  }

  /** Runs to the last bar. Throws `INVALID_OPTIONS` where there is none. */
  run(): CandleRun {
    const { total, records } = this;
    if (total === 0)
      throw new SarrafError('INVALID_OPTIONS', 'expected bars to run through, were none in this range');
    const initialEquity = this.begin();
    while (this.closeSome()) this.options.onProgress?.(this.done, total);
    this.options.onProgress?.(this.done, total);
    for (const order of this.engine.unfinishedOrders()) records.noteOrder(order);
    return {
      orders: records.orders,
      fills: records.fills,
      curve: this.equity.curve,
      initialEquity,
      finalEquity: this.valuer.exact(),
      bars: this.done,
      failures: this.failures(),
      logs: new Map(this.engine.instances.map(({ name, log }) => [name, log] as const)),
      intents: intentsOf(this.engine.instances),
    };
  }

  /** Closes bars until the next progress report. Answers whether there may be more. */
  private closeSome(): boolean {
    const untilDone = this.done + PROGRESS_EVERY_BARS;
    while (this.done < untilDone) {
      if (this.only !== null && this.passBars(this.only, untilDone)) continue;
      const nextMs = this.nextMs();
      if (nextMs === Number.POSITIVE_INFINITY) return false;
      this.wakeUntil(nextMs);
      const closed = this.closeBars(nextMs);
      this.wakeUntil(nextMs + 1);
      if (closed > 0) this.equity.add(nextMs);
      this.done += closed;
      this.openBars(nextMs);
    }
    return true;
  }

  /**
   * Tells bars of the only market one after the other, for as long as that is all that happens in them: they
   * concern no order, nothing is due, and nobody wants anything. The exchange and the curve are shown them
   * together, as well as the one in which somebody did. Answers whether there was any.
   */
  private passBars({ lane, feed }: OnlyLane, untilDone: number): boolean {
    if (!lane.isOpen) return false;
    const { venue } = this.options;
    const { columns, next: first } = lane;
    const end = Math.min(columns.length, first + untilDone - this.done);
    const { wakeAtMs } = this;
    let output: EngineOutput | null = null;
    let next = first;
    for (; next < end && output === null; next += 1) {
      const closeMs = lane.closeMs(next);
      if (closeMs >= wakeAtMs || venue.concerns(lane.index, columns, next)) break;
      const came = this.engine.stepBar(feed.same(next), closeMs);
      if (came.changes.length > 0 || came.requests.length > 0 || came.wakeAtMs !== wakeAtMs) output = came;
    }
    if (next === first) return false;
    // What the exchange has of the bar at which it is comes from that and the one before.
    venue.onClose(lane.index);
    for (let index = Math.max(first + 1, next - 2); index < next; index += 1)
      venue.onCandle(lane.index, columns, index);
    this.equity.addBars(lane, first, output === null ? next : next - 1);
    const closeMs = lane.closeMs(next - 1);
    if (output !== null) this.follow(output, closeMs);
    lane.advance(next - first);
    this.wakeUntil(closeMs + 1);
    if (output !== null) this.equity.add(closeMs);
    this.done += next - first;
    this.openBars(closeMs);
    return true;
  }

  /**
   * Tells the engine of the wallets, so that strategies start with them. Answers what the account is worth.
   */
  private begin(): Units {
    const { fromMs } = this.options;
    const past = this.lanes.flatMap((lane) => this.lastOfThePast(lane));
    if (past.length > 0) this.step({ kind: 'closes', atMs: fromMs, bars: past });
    this.takeWallets(fromMs);
    this.step({ kind: 'account', atMs: fromMs, orders: [], trades: [], wallets: this.wallets });
    return this.valuer.initial();
  }

  private laneOf({ market, columns }: RunMarket, index: number): BarLane {
    const { fromMs } = this.options;
    const timeframes = new Set(
      this.engine.instances.flatMap(({ runner }) =>
        runner.subscriptions.flatMap((wanted) =>
          wanted.kind === 'candles' && wanted.market === market.symbol ? [wanted.timeframe] : [],
        ),
      ),
    );
    const feeds = [...timeframes].map((timeframe) => new BarFeed(columns, timeframe));
    let past = 0;
    for (; past < columns.length && (columns.openTimeMs[past] ?? 0) < fromMs; past += 1)
      this.warmUp(feeds, past);
    return new BarLane({ index, market, columns, feeds, first: past });
  }

  /** The last bar before the run, whose close is known as it begins, unless it still goes on. */
  private lastOfThePast({ index, columns, next, recorded, barMs }: BarLane): readonly ClosedCandle[] {
    if (next === 0 || (columns.openTimeMs[next - 1] ?? 0) + barMs > this.options.fromMs) return [];
    this.options.venue.onCandle(index, columns, next - 1);
    return [recorded.same(next - 1)];
  }

  /** The past feeds indicators and histories, without a strategy being asked. */
  private warmUp(feeds: readonly BarFeed[], index: number): void {
    for (const feed of feeds) {
      for (const bar of feed.closedBy(index)) {
        for (const { runner } of this.engine.instances) runner.warmUp(bar);
      }
    }
  }

  private nextMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const lane of this.lanes) if (lane.nextMs < nextMs) ({ nextMs } = lane);
    return nextMs;
  }

  /** Timers and algorithms whose time comes before a moment. */
  private wakeUntil(nextMs: number): void {
    while (this.wakeAtMs < nextMs) {
      const atMs = this.wakeAtMs;
      this.tellOpens(atMs);
      this.step({ kind: 'tick', atMs });
      if (this.wakeAtMs <= atMs) this.wakeAtMs = atMs + 1;
    }
  }

  /**
   * Ends the bars that close now: the exchange goes through them, their closes are the prices, what became of
   * orders is pushed, and then each bar. Answers how many.
   */
  private closeBars(closeMs: number): number {
    const { venue } = this.options;
    let hasChanged = false;
    let closing = 0;
    for (const lane of this.lanes) {
      if (!lane.isOpen || lane.nextMs !== closeMs) continue;
      lane.isClosing = true;
      closing += 1;
      if (venue.onClose(lane.index)) hasChanged = true;
    }
    if (closing === 0) return 0;
    // Nothing has to come before a single bar that is shown as it was recorded.
    if (hasChanged || closing > 1 || !this.isShownAsRecorded) this.tellCloses(closeMs);
    if (hasChanged) this.tellNews(closeMs);
    for (const lane of this.lanes) {
      if (!lane.isClosing) continue;
      for (const feed of lane.feeds) {
        if (feed.isOneToOne) this.stepBar(feed.same(lane.next), closeMs);
        else for (const bar of feed.closedBy(lane.next)) this.stepBar(bar, closeMs);
      }
      lane.advance();
    }
    return closing;
  }

  private tellCloses(atMs: number): void {
    const closing = this.lanes.filter(({ isClosing }) => isClosing);
    this.step({ kind: 'closes', atMs, bars: closing.map(({ recorded, next }) => recorded.same(next)) });
  }

  /** Begins the bars whose time has come: what takes at their opens does so, and is pushed. */
  private openBars(nowMs: number): void {
    const { venue } = this.options;
    let hasChanged = false;
    for (const lane of this.lanes) {
      if (lane.isOpen || lane.nextMs > nowMs) continue;
      if (venue.onOpen(lane.index, lane.columns, lane.next)) hasChanged = true;
      lane.begin();
    }
    if (!hasChanged) return;
    this.tellOpens(nowMs);
    this.tellNews(nowMs);
  }

  /** Tells which bars have begun, where that is not known yet. Most run without anybody asking. */
  private tellOpens(atMs: number): void {
    const opened = this.lanes.filter(({ isOpen, isAnnounced }) => isOpen && !isAnnounced);
    if (opened.length === 0) return;
    for (const lane of opened) lane.isAnnounced = true;
    const opens = opened.map((lane) => ({
      market: lane.market.symbol,
      price: lane.open,
      untilMs: lane.nextMs,
    }));
    this.engine.step({ kind: 'opens', atMs, opens });
  }

  /** One event, and everything that the exchange answers to it at the same moment. */
  private step(event: EngineEvent): void {
    this.follow(this.engine.step(event), event.atMs);
  }

  private stepBar(bar: ClosedCandle, atMs: number): void {
    this.follow(this.engine.stepBar(bar, atMs), atMs);
  }

  /** What a step brought, and all that the exchange answers to it at the same moment. */
  private follow(first: EngineOutput, atMs: number): void {
    let output = first;
    for (let steps = 0; steps < MOST_STEPS_A_MOMENT; steps += 1) {
      this.note(output);
      if (output.requests.length === 0) return;
      output = this.engine.stepAll(this.answersTo(output, atMs));
    }
    throw new SarrafError(
      'INVARIANT',
      `the engine was still at work after ${MOST_STEPS_A_MOMENT} steps of one moment`,
    );
  }

  private answersTo({ requests }: EngineOutput, atMs: number): readonly VenueEvent[] {
    const { venue, answerInstead } = this.options;
    const events: VenueEvent[] = [];
    for (const { id, call } of requests) {
      const answer = answerInstead?.(call) ?? venue.answer(call, atMs);
      events.push({ kind: 'answer', atMs, requestId: id, sentAtMs: atMs, answer });
    }
    const news = this.news(atMs);
    if (news !== null) events.push(news);
    return events;
  }

  /** Tells the engine what has changed at the exchange. */
  private tellNews(atMs: number): void {
    const news = this.news(atMs);
    if (news !== null) this.step(news);
  }

  /** What has changed at the exchange, as an event; null where nothing has. */
  private news(atMs: number): VenueEvent | null {
    const { orders, trades, walletsChanged } = this.options.venue.take();
    if (orders.length === 0 && trades.length === 0 && !walletsChanged) return null;
    if (walletsChanged) this.takeWallets(atMs);
    return { kind: 'account', atMs, orders, trades, wallets: this.wallets };
  }

  private note({ changes, wakeAtMs }: EngineOutput): void {
    this.wakeAtMs = wakeAtMs;
    if (changes.length > 0) this.records.note(changes);
  }

  private takeWallets(atMs: number): void {
    const answer = this.options.venue.answer({ kind: 'wallets' }, atMs);
    if (answer.outcome === 'value') this.wallets = answer.value as readonly WalletReading[];
  }

  private failures(): ReadonlyMap<string, string> {
    return new Map(
      this.engine.instances.flatMap(({ runner }) =>
        runner.failure === null ? [] : [[runner.name, runner.failure] as const],
      ),
    );
  }
}

/** The open of the first bar of a market in the run; of one without any, the last close before it. */
function firstPriceOf({ market, columns, next }: BarLane): readonly [readonly [string, Units]] | null {
  if (columns.length === 0) return null;
  const cell = next < columns.length ? columns.open[next] : columns.close[columns.length - 1];
  return [[market.symbol, cellUnits(cell ?? 0, columnScale(columns.priceDecimals))]];
}
