import { readSessionFile, type SessionFile } from '../daemon/session-file.ts';
import { firstIndex } from '../domain/candle-columns.ts';
import { closingAsync } from '../domain/closing.ts';
import { present } from '../domain/errors.ts';
import { midOfUnits, NO_UNITS, parseUnits, type Units } from '../domain/money.ts';
import type { VenueOrder } from '../domain/order.ts';
import { MINUTE_MS } from '../domain/time-text.ts';
import { parseMarket } from '../exchange/market-names.ts';
import {
  knownMedian,
  orderQualities,
  tradedIn,
  type MeasuredFill,
  type OrderQuality,
  type QualityInput,
  type TradeTape,
  type TakerTrade,
} from '../portfolio/execution-quality.ts';
import { isFinal, type OrderRecord } from '../records/order.ts';
import { MirrorReader } from '../mirror/mirror-reader.ts';
import { readPlaces } from '../mirror/read-qualities.ts';
import { Catalogue } from '../recording/catalogue.ts';
import { partitionsWithin } from '../recording/read-rows.ts';
import type { RecordedBook } from '../recording/records.ts';
import { DEFAULT_POLL_RULES, type PollRules } from '../venues/fill-rules.ts';
import { FollowedExchange, FOLLOWING_USER } from '../venues/followed-exchange.ts';
import type { VenueCall } from '../venues/port.ts';
import { orderIdOf } from '../venues/read-records.ts';
import { PAPER_RULES, marketsOfSession } from './parity/run-again.ts';
import { createTrack, RecordedFeed } from './poll/recorded-feed.ts';
import { readSession, type ReadSession } from './session.ts';

/** Fill rules of a replay: those of a backtest on books that decide what an order fills. */
export interface ReplayRules extends Pick<PollRules, 'queue'> {
  /** Time from sending a request to its arrival, and as long again for its reply, in ms. */
  readonly latencyMs: number;
}

/** Orders of a recorded session as they were executed, and as fill rules execute the same orders. */
export interface ReplayedOrders {
  readonly session: readonly OrderQuality[];
  readonly replay: readonly OrderQuality[];
}

/** Balance of each currency: the session had the money for its orders. */
const ENOUGH = parseUnits('1000000000000000');

/** Least time for which an order that the session filled stands in a replay, in ms. */
const LEAST_STANDING_MS = MINUTE_MS;

/**
 * Recorded session whose orders can be placed again, each at its own time, on the recorded books and trades
 * without its own. No strategy decides: the orders are the same, whatever they fill.
 *
 * - An order that the session canceled is canceled when it was there.
 * - An order that the session filled stands for twice the time that it took there, and at least a minute.
 * - Orders that the exchange refused, and those that still stood at the end, are left out.
 * - The account has enough of everything.
 */
export class OrderReplay {
  readonly #file: SessionFile;
  readonly #session: ReadSession;
  /** Recorded books by market, oldest first. */
  #books: ReadonlyMap<string, readonly RecordedBook[]> = new Map();

  /** Throws `INVALID_FILE` if the folder holds no recorded session, `DATA_UNUSABLE` if it is empty. */
  constructor(folder: string) {
    this.#file = readSessionFile(folder);
    const session = readSession(this.#file);
    const orders = session.orders.filter(
      (order) => isFinal(order) && order.state !== 'rejected' && order.sentAtMs !== null,
    );
    this.#session = { ...session, orders };
  }

  /** Median time of half a round trip of an order, in ms; 0 on paper, where orders do not travel. */
  get latencyMs(): number {
    const roundTripMs = knownMedian(this.#session.roundTripsMs) ?? 0;
    return this.#file.mode === 'paper' ? 0 : Math.round(roundTripMs / 2);
  }

  /** Executes the orders of the session by some rules. Throws `DATA_UNUSABLE` without recorded books. */
  async run(rules: ReplayRules): Promise<ReplayedOrders> {
    const markets = await marketsOfSession(this.#file, this.#session);
    this.#books = new Map(markets.map(({ market, known }) => [market.symbol, known]));
    const { fills } = this.#session;
    const orders = this.#session.orders.map((order) => this.#withArrival(order));
    const executed = await execute(markets, {
      file: this.#file,
      session: { ...this.#session, orders },
      rules,
    });
    const priceAt = (market: string, atMs: number): Units | null => {
      const { bid, ask } = this.#bestAt(market, atMs);
      return bid === null || ask === null ? null : midOfUnits(bid, ask);
    };
    const tapes = await this.#tapes();
    using mirror = new MirrorReader(this.#file.mirror);
    const places = readPlaces(mirror, orders);
    const queueOf: QualityInput['queueOf'] = ({ key, market, side, price, plannedAtMs, sentAtMs }, toMs) => {
      const tape = tapes.get(market) ?? { trades: [], missing: [] };
      const traded = tradedIn(tape, { side, price, fromMs: sentAtMs ?? plannedAtMs, toMs });
      return { ahead: places.get(key) ?? null, traded };
    };
    return {
      session: orderQualities({ orders, fills, priceAt, queueOf }),
      replay: orderQualities({ ...executed, priceAt, queueOf }),
    };
  }

  /** Returns an order with the best prices of the recorded book if it was planned before they were stored. */
  #withArrival(order: OrderRecord): OrderRecord {
    if (order.arrivalBid !== null || order.arrivalAsk !== null) return order;
    const { bid, ask } = this.#bestAt(order.market, order.plannedAtMs);
    return { ...order, arrivalBid: bid, arrivalAsk: ask };
  }

  /** Reads the recorded trades of each market. */
  async #tapes(): Promise<ReadonlyMap<string, TradeTape>> {
    const catalogue = new Catalogue({ root: this.#file.catalogue });
    const tapes = new Map<string, TradeTape>();
    for (const { symbol: market } of this.#file.markets) {
      const missing = catalogue.manifest({ market, kind: 'trades' })?.gaps;
      const trades: TakerTrade[] = [];
      const range = { fromMs: this.#file.beganMs, toMs: this.#session.endMs };
      const key = { market, kind: 'trades' } as const;
      if (missing === undefined || partitionsWithin(catalogue.root, key, range).length === 0) continue;
      for await (const part of catalogue.readTrades({ market, ...range }))
        for (const { timeMs, seenMs, price, amount, side } of part)
          trades.push({ atMs: timeMs ?? seenMs, price: parseUnits(price), amount: parseUnits(amount), side });
      tapes.set(market, { trades, missing });
    }
    return tapes;
  }

  /** Returns the best prices of the last book that was seen by a time. */
  #bestAt(market: string, atMs: number): { readonly bid: Units | null; readonly ask: Units | null } {
    const books = this.#books.get(market) ?? [];
    const next = firstIndex(books.length, (index) => (books[index]?.seenMs ?? 0) > atMs);
    const [bid] = books[next - 1]?.bids[0] ?? [];
    const [ask] = books[next - 1]?.asks[0] ?? [];
    return {
      bid: bid === undefined ? null : parseUnits(bid),
      ask: ask === undefined ? null : parseUnits(ask),
    };
  }
}

interface Execution {
  readonly file: SessionFile;
  readonly session: ReadSession;
  readonly rules: ReplayRules;
}

/** Places the orders of a session on its recorded markets, and returns what became of them. */
async function execute(
  markets: Awaited<ReturnType<typeof marketsOfSession>>,
  { file, session, rules }: Execution,
): Promise<{ readonly orders: readonly OrderRecord[]; readonly fills: readonly MeasuredFill[] }> {
  const trades: { readonly venueId: string; readonly atMs: number }[] = [];
  const exchange = new FollowedExchange({
    markets: markets.map(({ market, trades: recorded }) => ({ market, hasTrades: recorded !== null })),
    fees: file.fees,
    balances: Object.fromEntries(
      markets.flatMap(({ market }) => [market.base, market.quote].map((currency) => [currency, ENOUGH])),
    ),
    limits: {},
    startMs: file.beganMs,
    rules: { ...DEFAULT_POLL_RULES, ...(file.mode === 'paper' ? PAPER_RULES : {}), queue: rules.queue },
    onEvent: (event) => {
      if (event.kind !== 'trade') return;
      const { maker, taker, timeMs } = event.trade;
      for (const { id, userId } of [maker, taker])
        if (userId === FOLLOWING_USER) trades.push({ venueId: orderIdOf(id), atMs: timeMs });
    },
  });
  const tracks = exchange.markets.map((market, index) =>
    createTrack(market, present(markets[index], 'a recording of each market')),
  );
  await using feed = closingAsync(new RecordedFeed(tracks));
  await feed.firstBooksMs();
  const placed = new Map<string, VenueOrder>();
  for (const { atMs, order, pair, isCancel } of requestsOf(session.orders, rules)) {
    const nowMs = Math.min(Math.max(atMs, file.beganMs), session.endMs);
    await feed.readTo(nowMs + 1);
    feed.advance(nowMs);
    if (isCancel) {
      const venueId = placed.get(order.key)?.id ?? null;
      if (venueId !== null)
        exchange.answer({ kind: 'cancel', market: order.market, venueId, clientOrderId: null }, nowMs);
      continue;
    }
    const answer = exchange.answer(placement(order, pair), nowMs);
    if (answer.outcome !== 'value') continue;
    const [first, second] = [answer.value].flat() as VenueOrder[];
    if (first !== undefined) placed.set(order.key, first);
    if (second !== undefined && pair !== undefined) placed.set(pair.key, second);
  }
  await feed.readTo(session.endMs + 1);
  feed.advance(session.endMs);
  const pairs = new Map(session.orders.map((order) => [order.key, order]));
  const keys = new Map([...placed].map(([key, { id }]) => [String(id), key]));
  return {
    orders: session.orders.map((order) => {
      const venueId = placed.get(order.key)?.id ?? null;
      if (venueId === null) return refusedAgain(order);
      const { market } = order;
      const answer = exchange.answer({ kind: 'order', market, venueId, clientOrderId: null }, session.endMs);
      const closedAtMs = endOf(order, pairs.get(order.pairKey ?? ''), rules);
      return answer.outcome === 'value'
        ? outcomeOf(order, answer.value as VenueOrder, closedAtMs)
        : refusedAgain(order);
    }),
    fills: trades.map(({ venueId, atMs }) => ({
      orderKey: keys.get(venueId) ?? null,
      atMs,
      fee: NO_UNITS,
      feeCurrency: null,
      feeValue: null,
    })),
  };
}

/** Request about an order of the session, at the time at which it reaches the exchange. */
interface TimedRequest {
  readonly atMs: number;
  readonly order: OrderRecord;
  /** Stop leg of an OCO, which is placed and canceled with its limit leg. */
  readonly pair: OrderRecord | undefined;
  readonly isCancel: boolean;
}

function requestsOf(orders: readonly OrderRecord[], rules: ReplayRules): readonly TimedRequest[] {
  const byKey = new Map(orders.map((order) => [order.key, order]));
  return orders
    .filter(({ clientOrderId }) => clientOrderId !== null)
    .flatMap((order) => {
      const pair = byKey.get(order.pairKey ?? '');
      const atMs = (order.sentAtMs ?? order.plannedAtMs) + rules.latencyMs;
      return [
        { atMs, order, pair, isCancel: false },
        { atMs: Math.max(atMs, endOf(order, pair, rules)), order, pair, isCancel: true },
      ];
    })
    .toSorted((left, right) => left.atMs - right.atMs);
}

/** Returns the time at which an order is canceled in a replay, if it still stands. */
function endOf(order: OrderRecord, pair: OrderRecord | undefined, { latencyMs }: ReplayRules): number {
  const { sentAtMs, plannedAtMs, closedAtMs } = order;
  const fromMs = sentAtMs ?? plannedAtMs;
  const toMs = Math.max(closedAtMs ?? fromMs, pair?.closedAtMs ?? fromMs);
  if (order.state !== 'filled' && pair?.state !== 'filled') return toMs - latencyMs;
  return fromMs + Math.max(2 * (toMs - fromMs), LEAST_STANDING_MS);
}

function placement(order: OrderRecord, pair: OrderRecord | undefined): VenueCall {
  const { side, execution, price, stopPrice, amount, key } = order;
  const { base, quote } = parseMarket(order.market);
  const of = { clientOrderId: order.clientOrderId ?? key, base, quote, side, amount, pro: true };
  if (pair === undefined || price === null || pair.stopPrice === null || pair.price === null)
    return { kind: 'place', order: { ...of, execution, price, stopPrice } };
  return {
    kind: 'place-oco',
    order: { ...of, price, stopPrice: pair.stopPrice, stopLimitPrice: pair.price },
  };
}

/** Returns an order of the session as the replay ended it. */
function outcomeOf(
  order: OrderRecord,
  { matchedAmount, total, fee }: VenueOrder,
  closedAtMs: number,
): OrderRecord {
  return {
    ...order,
    filled: matchedAmount,
    filledTotal: total ?? NO_UNITS,
    fee: fee ?? NO_UNITS,
    state: matchedAmount === order.amount ? 'filled' : 'cancelled',
    closedAtMs,
  };
}

/** Returns an order that the rules refused. */
function refusedAgain(order: OrderRecord): OrderRecord {
  const nothing = { filled: NO_UNITS, filledTotal: NO_UNITS, fee: NO_UNITS };
  return { ...order, ...nothing, state: 'rejected', closedAtMs: order.sentAtMs };
}
