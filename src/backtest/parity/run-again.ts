import type { SessionFile } from '../../daemon/session-file.ts';
import { columnsOf } from '../../domain/candle-columns.ts';
import { type Candle, gridOf, shownAnchors } from '../../domain/candle.ts';
import { invalidOptions, dataUnusable } from '../../domain/errors.ts';
import { otherMarketOf, type MarketSymbol } from '../../domain/market-symbol.ts';
import type { WalletReading } from '../../venues/port.ts';
import type { EngineEvent } from '../../engine/engine-event.ts';
import { parseUnits, type Units, formatUnits } from '../../domain/money.ts';
import type { OrderBook, BookLevel } from '../../domain/order-book.ts';
import type { StrategyInstanceSettings } from '../../engine/engine-settings.ts';
import { Catalogue } from '../../recording/catalogue.ts';
import { partitionsWithin } from '../../recording/read-rows.ts';
import {
  bookColumns,
  tradeColumns,
  type TradeColumns,
  type RecordedBook,
  type RecordedStats,
  type RecordedTrade,
} from '../../recording/records.ts';
import type { BarRecording, OtherRecording } from '../poll/recorded-feed.ts';
import { isOfOtherVenue } from '../../strategy/subscriptions.ts';
import { INTERFACE_PROFILE } from '../../venues/interface-profile.ts';
import { DEFAULT_POLL_RULES, type Latency, type PollRules } from '../../venues/fill-rules.ts';
import { runPoll, type PollMarket, type PollRun } from '../poll/run-poll.ts';
import { signalLineOf, deliveredSignals, type SignalLine, signalsFor } from '../signals.ts';
import {
  instancesOf,
  type KnownBars,
  type ReadSession,
  type SeenData,
  type SessionView,
  type StrategyStop,
  strategyStopOf,
} from '../session.ts';
import { netMoney, bookText, closedBars, Watch } from '../difference.ts';
import { ReceivedData } from './received-data.ts';
import { decimalText, ZERO, type DecimalText } from '../../domain/decimal-text.ts';
import type { Side } from '../../domain/order.ts';
import type { FillRecord } from '../../records/fill.ts';
import type { OrderRecord } from '../../records/order.ts';

export interface RunAgainOptions {
  readonly file: SessionFile;
  readonly session: ReadSession;
  /** Events that its engine received; empty if they were not stored. */
  readonly events: AsyncIterable<EngineEvent>;
  /** Latency of its requests; null if unknown, then the default applies. */
  readonly latency: Latency | null;
  /** Data it received, and its start in ms; null if they were not stored. */
  readonly received: ReceivedData | null;
  readonly fromMs: number | null;
  readonly bundledStrategies: string;
  readonly rules?: Partial<PollRules>;
}

export interface SecondRun {
  /** Session with its recorded data, and its second run. */
  readonly session: SessionView;
  readonly again: SessionView;
  readonly run: PollRun;
  readonly instances: readonly StrategyInstanceSettings[];
}

/**
 * Runs a session again as a poll backtest: from its start, with its account, fees, bars and strategies, on
 * the recorded books and trades without its own orders in them. Requests take as long as in the session.
 * Throws `INVALID_OPTIONS` for a session that polled more slowly than its plan, `DATA_UNUSABLE` without
 * recorded books.
 */
export async function runAgain({
  file,
  session,
  events,
  latency,
  received,
  fromMs,
  bundledStrategies,
  rules,
}: RunAgainOptions): Promise<SecondRun> {
  const { config, markets, beganMs } = file;
  const { endMs } = session;
  const isPaper = file.mode === 'paper';
  if (file.pollStretch !== 1) {
    throw invalidOptions(
      'expected a session that polls at the pace of its plan, was a replay of long bars: record a session without --replay',
    );
  }
  const configured = await instancesOf(file, bundledStrategies);
  // Nobody is there to approve entries: they begin at once.
  const instances = configured.map((instance) => ({ ...instance, approval: undefined }));
  const recorded = await marketsOfSession(file, session);
  const seen = recorded.flatMap(({ market, known }): readonly SeenData[] =>
    known.map((book) => ({ market: market.symbol, atMs: book.seenMs, text: bookText(book) })),
  );
  const watch = new Watch(session.bars);
  const receivedAgain = new ReceivedData();
  const signals: SignalLine[] = [];
  const stops: StrategyStop[] = [];
  const run = await runPoll({
    settings: {
      ...config.execution,
      instance: config.instance,
      instances,
      locks: config.locks,
      reconciliation: config.reconciliation,
    },
    markets: recorded,
    others: file.others,
    otherBooks: await Promise.all(
      instances
        .flatMap(({ runner }) => runner.subscriptions.filter(isOfOtherVenue))
        .map(async ({ market }) => otherBooksOf(file, market as MarketSymbol, endMs)),
    ),
    fees: file.fees,
    balances: await beginningBalances(session, events),
    quote: markets[0]?.quote ?? 'rls',
    limits: config.limits,
    headroom: config.headroom,
    rules: {
      latency: latency ?? DEFAULT_POLL_RULES.latency,
      ...(isPaper ? PAPER_RULES : {}),
      ...rules,
    },
    signals: signalsFor(deliveredSignals(session.signals), instances),
    fromMs: fromMs ?? beganMs,
    toMs: endMs,
    onAnswer: (call, answer, atMs) => {
      if (atMs >= endMs) return;
      receivedAgain.answer(call, answer, atMs);
      if (answer.outcome !== 'value') return;
      if (call.kind === 'book' && otherMarketOf(call.market) === null)
        watch.book(call.market, answer.value as OrderBook, atMs);
      if (call.kind === 'candles') watch.candles(call, answer.value as readonly Candle[], atMs);
    },
    onJournal: (entry, atMs) => {
      const { kind, subject, json } = entry;
      if (kind === 'signal') signals.push(signalLineOf({ seq: 0, atMs, ...entry }));
      if (kind === 'strategy' && atMs < endMs) stops.push(strategyStopOf({ ...entry, atMs }));
      if (kind === 'intent' && atMs < endMs) watch.intent(subject, json, atMs);
      if (kind === 'intent' || kind === 'order') receivedAgain.decide(subject);
    },
  });
  const isWithin = ({ atMs }: { readonly atMs: number }): boolean => atMs >= beganMs && atMs < endMs;
  return {
    instances,
    run,
    session: {
      ...session,
      fills: session.fills.filter(isWithin),
      books: seen,
      bars: session.bars.flatMap((bars) => closedBars(bars).filter(isWithin)),
      received,
    },
    again: {
      signals,
      stops,
      intents: watch.intents,
      orders: run.orders.filter(({ plannedAtMs }) => plannedAtMs < endMs),
      fills: run.fills.filter(isWithin),
      books: watch.books,
      bars: watch.bars().filter(isWithin),
      received: receivedAgain,
    },
  };
}

/** Market of a session with its recordings, and its books as the session saw them. */
interface SessionMarket extends PollMarket {
  readonly known: readonly RecordedBook[];
}

/**
 * Returns the recordings of a session without its own orders and trades, for one run: they are read once.
 * Throws `DATA_UNUSABLE` without recorded books.
 */
export async function marketsOfSession(
  { catalogue: root, markets, beganMs, mode }: SessionFile,
  session: ReadSession,
): Promise<readonly SessionMarket[]> {
  const { endMs } = session;
  const isPaper = mode === 'paper';
  const catalogue = new Catalogue({ root });
  return Promise.all(
    markets.map(async (market): Promise<SessionMarket> => {
      const within = { market: market.symbol, fromMs: beganMs, toMs: endMs };
      const isThere = (kind: 'trades' | 'stats'): boolean =>
        partitionsWithin(catalogue.root, { market: market.symbol, kind }, within).length > 0;
      const books = await booksOf(catalogue, market.symbol, beganMs, endMs);
      const ownTrades = new OwnTrades(session.fills.filter((fill) => fill.market === market.symbol));
      const own = new OwnLevels(
        session.orders.filter((order) => order.market === market.symbol),
        session.fills,
      );
      return {
        market,
        known: books,
        changesWhen: isPaper ? 'seen' : 'venue-time',
        books: inOne(
          bookColumns(
            throughout(
              books.map((book) => (isPaper ? earlier(book, beganMs) : own.without(book))),
              beganMs,
              endMs,
            ),
          ),
        ),
        trades: isThere('trades') ? tradesOf(catalogue, within, isPaper ? null : ownTrades) : null,
        stats: isThere('stats') ? statsOf(catalogue, within) : null,
        bars: session.bars.filter((bars) => bars.market === market.symbol).map(barsOf),
      };
    }),
  );
}

/** Returns the books of a market of another venue, as the session read them. */
async function otherBooksOf(
  { catalogue: root, beganMs }: SessionFile,
  market: MarketSymbol,
  endMs: number,
): Promise<OtherRecording> {
  const books = await booksOf(new Catalogue({ root }), market, beganMs, endMs);
  return { market, books: inOne(bookColumns(books.map((book) => earlier(book, beganMs)))) };
}

/** Rules for a paper session: its books are those of a real exchange, without its own orders in them. */
export const PAPER_RULES: Partial<PollRules> = { own: 'hidden' };

async function booksOf(
  catalogue: Catalogue,
  market: MarketSymbol,
  beganMs: number,
  endMs: number,
): Promise<readonly RecordedBook[]> {
  if (catalogue.manifest({ market, kind: 'books' }) === null) {
    throw dataUnusable(`expected recorded books of ${market}, found none: run with --record`);
  }
  const books: RecordedBook[] = [];
  // The exchange's time of a book may be earlier than when it was seen.
  for await (const part of catalogue.readBooks({
    market,
    fromMs: beganMs - LONGEST_UNCHANGED_MS,
    toMs: endMs,
  })) {
    for (const book of part) if (book.seenMs >= beganMs && book.seenMs < endMs) books.push(book);
  }
  return books.toSorted((left, right) => left.seenMs - right.seenMs);
}

/**
 * Lead in ms by which data is available in the second run. Its polls come some milliseconds before or after
 * those of the session, so data without a time of the exchange must be there earlier to be found.
 */
const EARLIER_MS = 100;

function earlier<Row extends { readonly seenMs: number }>(row: Row, leastMs: number): Row {
  return { ...row, seenMs: Math.max(leastMs, row.seenMs - EARLIER_MS) };
}

async function* statsOf(
  catalogue: Catalogue,
  within: Parameters<Catalogue['readStats']>[0],
): AsyncGenerator<readonly RecordedStats[]> {
  for await (const part of catalogue.readStats(within)) yield part.map((row) => earlier(row, within.fromMs));
}

/**
 * Reads the recorded trades without our own. `own` is null on paper, where the tape has none of ours. Trades
 * of the first page are moved to the start, so that they fill no order.
 */
async function* tradesOf(
  catalogue: Catalogue,
  { market, fromMs, toMs }: { readonly market: MarketSymbol; readonly fromMs: number; readonly toMs: number },
  own: OwnTrades | null,
): AsyncGenerator<TradeColumns> {
  let firstSeenMs: number | null = null;
  for await (const part of catalogue.readTrades({ market, fromMs: fromMs - LONGEST_UNCHANGED_MS, toMs })) {
    const seen = part.filter(({ seenMs }) => seenMs >= fromMs);
    firstSeenMs ??= seen[0]?.seenMs ?? null;
    const moved = (trade: RecordedTrade): RecordedTrade =>
      trade.seenMs === firstSeenMs ? { ...trade, seenMs: fromMs } : earlier(trade, fromMs);
    yield tradeColumns(own === null ? seen.map(moved) : own.without(seen));
  }
}

/** Longest age of a recorded book when it was seen, in ms; older books are not found. */
const LONGEST_UNCHANGED_MS = 86_400_000;

/**
 * Extends the books to the whole session: the first one begins at its start, the last one lasts until its
 * end. Else the second run would end at the exchange's time of the last book, before that book was seen.
 */
function throughout(books: readonly RecordedBook[], beganMs: number, endMs: number): readonly RecordedBook[] {
  const [first, ...rest] = books;
  const last = books.at(-1);
  if (first === undefined || last === undefined) return books;
  const atFirst = { ...first, venueTimeMs: Math.min(beganMs, first.venueTimeMs ?? beganMs), seenMs: beganMs };
  return [atFirst, ...rest, { ...last, venueTimeMs: endMs, seenMs: endMs }];
}

async function* inOne<Columns>(columns: Columns): AsyncGenerator<Columns> {
  yield columns;
}

/** Converts the bars that a session knew; the range from the first to the last counts as complete. */
function barsOf({ market, timeframe, candles }: KnownBars): BarRecording {
  const anchors = shownAnchors(timeframe, candles, INTERFACE_PROFILE.barAnchors);
  const columns = columnsOf({ market: market as MarketSymbol, timeframe, anchors }, candles);
  const [first, last] = [candles[0]?.openTimeMs ?? 0, candles.at(-1)?.openTimeMs ?? 0];
  return { columns, covered: [{ fromMs: first, toMs: gridOf(timeframe, anchors).endOf(last) }] };
}

/**
 * Returns the account's balances at the start: the first reading, less the trades before it. Without an event
 * with a reading, they are computed back from the last balances. Deposits and withdrawals count as present
 * from the start.
 */
async function beginningBalances(
  { balances, fills }: ReadSession,
  events: AsyncIterable<EngineEvent>,
): Promise<Readonly<Record<string, Units>>> {
  const first = await firstWallets(events);
  const totals: ReadonlyMap<string, Units> =
    first === null
      ? new Map([...balances].map(([currency, total]) => [currency, parseUnits(total)]))
      : new Map(first.wallets.map(({ currency, total }) => [currency, total]));
  const net = netMoney(first === null ? fills : fills.filter(({ atMs }) => atMs <= first.atMs));
  return Object.fromEntries(
    [...totals].map(([currency, total]) => [currency, (total - (net.get(currency) ?? 0n)) as Units]),
  );
}

/** Returns the first reading of the wallets, recognized as the only answer that is a list of wallets. */
async function firstWallets(
  events: AsyncIterable<EngineEvent>,
): Promise<{ readonly atMs: number; readonly wallets: readonly WalletReading[] } | null> {
  for await (const event of events) {
    if (event.kind !== 'answer' || event.answer.outcome !== 'value' || !Array.isArray(event.answer.value))
      continue;
    const [first] = event.answer.value as readonly Partial<WalletReading>[];
    if (first?.walletId !== undefined)
      return { atMs: event.atMs, wallets: event.answer.value as WalletReading[] };
  }
  return null;
}

interface Resting {
  readonly order: OrderRecord;
  readonly price: bigint;
  readonly fromMs: number;
  readonly toMs: number;
  readonly fills: readonly FillRecord[];
}

/**
 * Removes the session's own orders from the books that it recorded, since the bot places its own in a second
 * run. An order rests from when it was sent until it was known to be closed, with its unfilled amount. Stop
 * orders do not rest in a book and are left out.
 */
export class OwnLevels {
  private readonly resting: readonly Resting[];
  private first = 0;

  /** `orders` are those of one market; `fills` may be all fills. */
  constructor(orders: readonly OrderRecord[], fills: readonly FillRecord[]) {
    const byOrder = Map.groupBy(fills, ({ orderKey }) => orderKey);
    this.resting = orders
      .flatMap((order): readonly Resting[] => {
        const { price, sentAtMs, closedAtMs, execution, key } = order;
        if (price === null || sentAtMs === null || execution !== 'limit') return [];
        const own = byOrder.get(key) ?? [];
        const toMs = closedAtMs ?? Number.POSITIVE_INFINITY;
        return [{ order, price, fromMs: sentAtMs, toMs, fills: own }];
      })
      .toSorted((left, right) => left.fromMs - right.fromMs);
  }

  /** Returns a book without these orders. Books must be requested in order of time. */
  without(book: RecordedBook): RecordedBook {
    const { seenMs } = book;
    while ((this.resting[this.first]?.toMs ?? Number.POSITIVE_INFINITY) < seenMs) this.first += 1;
    const own = { buy: new Map<bigint, bigint>(), sell: new Map<bigint, bigint>() };
    for (let index = this.first; index < this.resting.length; index += 1) {
      const resting = this.resting[index];
      if (resting === undefined || resting.fromMs > seenMs) break;
      const left =
        resting.toMs < seenMs
          ? 0n
          : resting.fills.reduce(
              (left, fill) => (fill.atMs <= seenMs ? left - fill.amount : left),
              BigInt(resting.order.amount),
            );
      const side = own[resting.order.side];
      if (left > 0n) side.set(resting.price, (side.get(resting.price) ?? 0n) + left);
    }
    if (own.buy.size + own.sell.size === 0) return book;
    const rest = (levels: readonly BookLevel[], side: Side): readonly BookLevel[] =>
      levels
        .map(([price, amount]) => [price, restOf(amount, own[side].get(parseUnits(price)))] as const)
        .filter(([, amount]) => amount !== ZERO);
    return { ...book, bids: rest(book.bids, 'buy'), asks: rest(book.asks, 'sell') };
  }
}

function restOf(amount: DecimalText, own: bigint | undefined): DecimalText {
  if (own === undefined) return amount;
  const rest = parseUnits(amount) - own;
  return rest <= 0n ? ZERO : decimalText(formatUnits(rest));
}

/** Longest time between a trade in the public tape and in our own list, in ms. */
const APART_MS = 1_000;

/**
 * Removes trades from a recorded tape in which the session itself was the taker, since the bot takes anew in
 * a second run. Trades in which others took from it stay: they fill its resting orders there too.
 */
export class OwnTrades {
  private readonly left: Map<string, number[]>;

  constructor(fills: readonly FillRecord[]) {
    const named = Map.groupBy(fills, ({ side, price, amount }) => `${side} ${price} ${amount}`);
    this.left = new Map([...named].map(([name, all]) => [name, all.map(({ atMs }) => atMs)]));
  }

  /** Returns trades without our own; each fill removes at most one trade. */
  without(trades: readonly RecordedTrade[]): readonly RecordedTrade[] {
    return trades.filter(({ side, price, amount, timeMs, seenMs }) => {
      // The side of a public trade is that of the taker.
      const times = this.left.get(`${side} ${parseUnits(price)} ${parseUnits(amount)}`) ?? [];
      const index = times.findIndex((atMs) => Math.abs(atMs - (timeMs ?? seenMs)) <= APART_MS);
      if (index === -1) return true;
      times.splice(index, 1);
      return false;
    });
  }
}
