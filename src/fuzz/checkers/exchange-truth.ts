import { createHash } from 'node:crypto';
import { closing } from '../../domain/closing.ts';
import type { Side } from '../../domain/order.ts';
import type { SimulatedExchange } from '../../simulator/exchange.ts';
import type { UserId } from '../../simulator/accounts.ts';
import {
  type SimulatedOrder,
  type TradeOfOrder,
  takerSide,
  makerSide,
} from '../../simulator/market-state.ts';
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { parseMarket } from '../../exchange/market-names.ts';
import { readOrderName } from '../../engine/order-names.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Endpoint } from '../../exchange/request-types.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../exchange/transport.ts';
import { RequestRouter } from '../../simulator-server/request-log.ts';
import type { RecordOf, ValuesWith } from '../../records/field.ts';
import type { BALANCE } from '../../records/rows.ts';

/** A violated guarantee: the check that found it, and what was expected and found. */
export interface Violation {
  readonly check: string;
  readonly message: string;
}

/** Maximum number of reported violations of one check; the others, mostly repetitions, are counted. */
const MOST_REPORTED = 10;

/** Returns the first violations of a check, and the number of the others. */
export function violationsOf(check: string, messages: readonly string[]): readonly Violation[] {
  const first = messages.slice(0, MOST_REPORTED).map((message) => ({ check, message }));
  const rest = messages.length - first.length;
  return rest === 0 ? first : [...first, { check, message: `${rest} more of these` }];
}

/** A checker that collects its violations while it watches. */
export abstract class Finder {
  protected abstract readonly promise: string;
  protected readonly found: string[] = [];

  violations(): readonly Violation[] {
    return violationsOf(this.promise, this.found);
  }
}

/** An order from the exchange's tables, in units. */
export interface TrueOrder {
  readonly id: number;
  readonly clientOrderId: string | null;
  readonly pairId: number | null;
  readonly isStop: boolean;
  readonly market: string;
  readonly side: Side;
  /** Worst price it may trade at, and price at which it rests. */
  readonly price: bigint;
  readonly amount: bigint;
  readonly matched: bigint;
  readonly status: string;
  readonly isOpen: boolean;
  readonly openedAtMs: number;
  /** Null while it is open. */
  readonly closedAtMs: number | null;
}

/** One side of a trade, in units. A trade with oneself has two sides. */
export interface TrueFill {
  readonly tradeId: number;
  readonly orderId: number;
  readonly atMs: number;
  readonly market: string;
  readonly side: Side;
  readonly amount: bigint;
  readonly total: bigint;
  readonly fee: bigint;
  /** Set if the list of trades no longer reaches it: only who has read it before knows of it. */
  readonly isUnlisted?: true;
}

/** The exchange's own data on an account: from its tables, not from its replies. */
export interface ExchangeTruth {
  readonly orders: readonly TrueOrder[];
  readonly fills: readonly TrueFill[];
  readonly balances: ReadonlyMap<string, { readonly total: bigint; readonly held: bigint }>;
}

const OPEN = new Set(['New', 'Active', 'Inactive']);

function orderOf(order: SimulatedOrder): TrueOrder {
  const { grid, isOpen } = order;
  const closed = order.versions?.find(({ status }) => !OPEN.has(status));
  return {
    id: order.id,
    clientOrderId: order.clientOrderId,
    pairId: order.pair?.id ?? null,
    isStop: order.execution === 'stop_limit' || order.execution === 'stop_market',
    market: grid.symbol,
    side: order.side,
    price: BigInt(order.price) * grid.priceStep,
    amount: BigInt(order.amount) * grid.amountStep,
    matched: BigInt(order.matched) * grid.amountStep,
    status: order.status,
    isOpen,
    openedAtMs: order.createdAtMs,
    closedAtMs: isOpen ? null : (closed?.timeMs ?? order.createdAtMs),
  };
}

function fillOf({ trade, order, total, fee }: TradeOfOrder, listedSinceMs: number): TrueFill {
  return {
    tradeId: trade.id,
    orderId: order.id,
    atMs: trade.timeMs,
    market: trade.grid.symbol,
    side: order.side,
    amount: BigInt(trade.amount) * trade.grid.amountStep,
    total,
    fee,
    ...(trade.timeMs < listedSinceMs ? ({ isUnlisted: true } as const) : {}),
  };
}

/** Reads the truth. `atMs`: time of the exchange; if omitted, the list of trades is complete. */
export function truthOf(
  exchange: SimulatedExchange,
  userId: UserId,
  atMs = Number.NEGATIVE_INFINITY,
): ExchangeTruth {
  const trader = exchange.trading.trader(userId);
  const listedSinceMs = atMs - exchange.trading.settings.tradesListedMs;
  return {
    orders: trader.orders.values().map(orderOf),
    fills: trader.trades
      .values()
      .flatMap((trade) => [takerSide(trade), makerSide(trade)])
      .filter(({ order }) => order.userId === userId)
      .map((side) => fillOf(side, listedSinceMs)),
    balances: new Map(
      exchange.accounts.walletsOf(userId).map(({ currency, total, held }) => [currency, { total, held }]),
    ),
  };
}

/** Returns the SHA-256 of an account's orders, fills and balances at the exchange. */
export function hashOfTruth({ orders, fills, balances }: ExchangeTruth): string {
  const text = JSON.stringify([orders, fills, [...balances]], (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
  return createHash('sha256').update(text).digest('hex');
}

export interface MirrorOrder {
  readonly key: string;
  readonly clientOrderId: string | null;
  readonly intentId: string;
  /** By the bot's clock. */
  readonly plannedAtMs: number;
  readonly state: string;
  readonly attempts: number;
  readonly venueId: string | null;
  readonly pairKey: string | null;
  readonly amount: string;
  readonly matched: string;
  readonly filled: string;
  readonly filledTotal: string;
  readonly fee: string;
}

export interface MirrorFill {
  readonly tradeId: string;
  readonly venueOrderId: string | null;
  readonly orderKey: string | null;
  readonly side: string;
  readonly amount: string;
  readonly total: string;
  readonly fee: string;
}

export interface IntentRow {
  readonly id: string;
  readonly kind: string;
  readonly json: string;
  /** Time the bot accepted it, by its clock. */
  readonly atMs: number;
}

type BalanceRow = Pick<RecordOf<typeof BALANCE, ValuesWith<string>>, 'currency' | 'total' | 'held'>;

/** Rows of a mirror that are compared with the exchange, read from the file with separate SQL. */
export interface MirrorRows {
  readonly orders: readonly MirrorOrder[];
  readonly fills: readonly MirrorFill[];
  readonly intents: readonly IntentRow[];
  readonly balances: readonly BalanceRow[];
}

/** Reads from a mirror's file, also while its bot has it open. */
export function inMirror<Result>(path: string, read: (database: Database.Database) => Result): Result {
  using database = closing(new Database(path, { readonly: true }));
  return read(database);
}

/** Returns the intents with a running algorithm in the mirror; none if there is no mirror yet. */
export function readAlgorithmsAtWork(path: string): ReadonlySet<string> {
  if (!existsSync(path)) return new Set();
  return inMirror(
    path,
    (database) => new Set(database.prepare<[], string>('SELECT intent_id FROM algorithms').pluck().all()),
  );
}

/**
 * Returns the id, at the exchange itself, of an order or a trade that the bot knows by another one: a tested
 * venue may compose ids.
 */
export type IdBehind = (id: string) => string;

export const SAME_ID: IdBehind = (id) => id;

/** Reads the rows of a mirror, with the ids of the exchange itself. */
export function readMirrorRows(path: string, idBehind: IdBehind = SAME_ID): MirrorRows {
  const behind = (id: string | null): string | null => (id === null ? null : idBehind(id));
  return inMirror(path, (database) => ({
    orders: database
      .prepare<[], MirrorOrder>(
        `SELECT order_key AS key, client_order_id AS clientOrderId, intent_id AS intentId, planned_at_ms AS plannedAtMs, state, attempts, venue_id AS venueId,
           pair_key AS pairKey, amount, matched, filled, filled_total AS filledTotal, fee FROM orders ORDER BY id`,
      )
      .all()
      .map((row) => ({ ...row, venueId: behind(row.venueId) })),
    fills: database
      .prepare<[], MirrorFill>(
        `SELECT trade_id AS tradeId, venue_order_id AS venueOrderId, order_key AS orderKey, side, amount, total, fee
         FROM fills ORDER BY cursor, venue_order_id`,
      )
      .all()
      .map((row) => ({ ...row, tradeId: idBehind(row.tradeId), venueOrderId: behind(row.venueOrderId) })),
    intents: database
      .prepare<[], IntentRow>('SELECT intent_id AS id, kind, json, at_ms AS atMs FROM intents ORDER BY id')
      .all(),
    balances: database
      .prepare<[], BalanceRow>('SELECT currency, total, held FROM balances ORDER BY currency')
      .all(),
  }));
}

/**
 * Returns the mirror's key of one of the bot's orders; null for any other order. The stop leg of a pair is
 * named after the other leg. `instance` is the first part of the bot's order ids.
 */
export function ownKeyOf(
  order: TrueOrder,
  byId: ReadonlyMap<number, TrueOrder>,
  instance: string,
): string | null {
  const { clientOrderId, pairId } = order;
  if (clientOrderId !== null) return clientOrderId.startsWith(`${instance}-`) ? clientOrderId : null;
  const limitLeg = pairId === null ? undefined : byId.get(pairId);
  const key = limitLeg === undefined ? null : ownKeyOf({ ...limitLeg, pairId: null }, byId, instance);
  return key === null ? null : `${key}/2`;
}

/** Empty set: no order was falsely refused. */
export const NONE_REFUSED: ReadonlySet<string> = new Set();

/** Returns the clientOrderId an order was placed with: its own, or for a stop leg that of the other leg. */
export const placedNameOf = (key: string): string => (key.endsWith('/2') ? key.slice(0, -'/2'.length) : key);

/** An order of the bot, with the clientOrderId it was placed with. */
export interface NamedOrder {
  readonly order: TrueOrder;
  readonly name: string;
}

/** Returns the orders of the bot, with their names. */
export function namedOrders(
  { orders }: Pick<ExchangeTruth, 'orders'>,
  instance: string,
): readonly NamedOrder[] {
  const byId = new Map(orders.map((order) => [order.id, order]));
  return orders.flatMap((order) => {
    const key = ownKeyOf(order, byId, instance);
    return key === null ? [] : [{ order, name: placedNameOf(key) }];
  });
}

/** True if an order of a strategy was falsely refused: its holding may differ from the bot's data. */
const isSpoiledBy = (refused: ReadonlySet<string>, strategy: string): boolean =>
  [...refused].some((name) => name.includes(`-${strategy}-`));

/** Amounts of coins given to strategies, by strategy and coin: `maker btc`. */
export type GivenCoins = ReadonlyMap<string, bigint>;

export const NOTHING_GIVEN: GivenCoins = new Map();

/** True if an order is larger than its strategy's holding: what it was given, and what others traded. */
function addsRisk(
  { id, openedAtMs, side, amount, market }: TrueOrder,
  {
    truth,
    nameOf,
    given,
  }: {
    readonly truth: ExchangeTruth;
    readonly nameOf: ReadonlyMap<number, string>;
    readonly given: GivenCoins;
  },
): boolean {
  const { base } = parseMarket(market);
  const name = nameOf.get(id) ?? null;
  const strategy = readOrderName(name)?.strategy;
  let position = given.get(`${strategy} ${base}`) ?? 0n;
  for (const fill of truth.fills) {
    const other = nameOf.get(fill.orderId) ?? null;
    // It may trade at the moment at which it is accepted, and so may the other leg of its pair.
    if (other === null || other === name || fill.atMs > openedAtMs) continue;
    if (readOrderName(other)?.strategy === strategy) position += broughtOf(base, fill);
  }
  return amount > (side === 'sell' ? position : -position);
}

/** Longest delay of an order that is judged, in ms; a later one may have met another position. */
export const PROMPT_MS = 10_000;

/** An order as it was sent. */
export interface SentOrder {
  readonly strategy: string;
  /** Time by the exchange's clock. */
  readonly sentAtMs: number;
}

/** Returns the sent orders, given by name, that added risk when they were accepted. */
export function addedRisk<Sent extends SentOrder>(
  truth: ExchangeTruth,
  sentBy: ReadonlyMap<string, Sent>,
  of: { readonly instance: string; readonly given?: GivenCoins; readonly refused: ReadonlySet<string> },
): readonly (NamedOrder & { readonly sent: Sent })[] {
  const { instance, given = NOTHING_GIVEN, refused } = of;
  const own = namedOrders(truth, instance);
  const nameOf = new Map(own.map(({ order, name }) => [order.id, name]));
  return own.flatMap(({ order, name }) => {
    const sent = sentBy.get(name);
    if (sent === undefined || isSpoiledBy(refused, sent.strategy)) return [];
    if (order.openedAtMs - sent.sentAtMs > PROMPT_MS) return [];
    return addsRisk(order, { truth, nameOf, given }) ? [{ order, name, sent }] : [];
  });
}

/** Returns the amount of an asset that a trade added or removed; a quote currency moves both ways. */
export function broughtOf(asset: string, { market, side, amount, total, fee }: TrueFill): bigint {
  const { base, quote } = parseMarket(market);
  const isBuy = side === 'buy';
  if (base === asset) return isBuy ? amount - fee : -amount;
  if (quote === asset) return isBuy ? -total : total - fee;
  return 0n;
}

/** A bot, as far as the holdings of its strategies. */
export type HoldingBot = Pick<Engine, 'instances'>;

/** Returns each strategy's holding of each asset, by strategy and asset. */
export function heldByStrategies(engine: HoldingBot): Map<string, bigint> {
  return new Map(
    engine.instances.flatMap((instance) =>
      [...instance.ledger.state.holdings].map(
        ([asset, { held }]) => [`${instance.name} ${asset}`, held] as const,
      ),
    ),
  );
}

/** A request as the process sends it. */
export interface LeavingRequest {
  readonly endpoint: Endpoint;
  /** Path without its query. */
  readonly path: string;
  /** Fields of its query, as text, and of its body. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

/** Watches the requests that a process sends, and the replies that it gets. */
export interface WireWitness {
  leaves(request: LeavingRequest): void;
  /** Called with a reply, unless its process has died. */
  isAnswered(
    request: LeavingRequest,
    reply: { readonly response: HttpResponse; readonly atMs: number },
  ): void;
}

interface WatchedTransportOptions {
  readonly transport: Transport;
  readonly witnesses: readonly WireWitness[];
  readonly nowMs: () => number;
}

/** Transport of a process with witnesses. It passes everything on unchanged. */
export class WatchedTransport implements Transport {
  private readonly options: WatchedTransportOptions;
  private readonly router = new RequestRouter(false);

  constructor(options: WatchedTransportOptions) {
    this.options = options;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const { transport, witnesses, nowMs } = this.options;
    const leaving = this.read(request);
    if (leaving !== null) for (const witness of witnesses) witness.leaves(leaving);
    const response = await transport.send(request);
    if (leaving !== null) {
      for (const witness of witnesses) witness.isAnswered(leaving, { response, atMs: nowMs() });
    }
    return response;
  }

  async close(): Promise<void> {
    await this.options.transport.close();
  }

  /** Reads a request; null if it is for no endpoint of the interface, which the exchange refuses. */
  private read({ method, path, body }: HttpRequest): LeavingRequest | null {
    const [address = path, query = ''] = path.split('?', 2);
    const routing = this.router.find(method, address);
    if (routing.kind !== 'found') return null;
    const { endpoint } = routing.route;
    const fields = { ...Object.fromEntries(new URLSearchParams(query)), ...fieldsOf(body) };
    return { endpoint, path: address, fields, atMs: this.options.nowMs() };
  }
}

function fieldsOf(body: string | null): LeavingRequest['fields'] {
  if (body === null || body === '') return {};
  const fields: unknown = JSON.parse(body);
  return typeof fields === 'object' && fields !== null ? (fields as LeavingRequest['fields']) : {};
}
