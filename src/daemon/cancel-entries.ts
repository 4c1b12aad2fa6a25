import { SarrafError } from '../domain/errors.ts';
import type { VenueOrder } from '../domain/order.ts';
import type { Limiter } from '../budget/limiter.ts';
import type { OrderRecord } from '../records/order.ts';
import { nextOrdersPage, openOrdersCalls, OwnMarkets } from '../engine/own-list.ts';
import type { Page, VenueAnswer, VenueCall } from '../venues/port.ts';
import type { VenueProfile } from '../venues/port.ts';
import { sendRequest, type VenueCaller } from '../venues/venue-caller.ts';
import type { MarketNames } from '../domain/market-symbol.ts';
import { exitsAmong, type HeldOf } from '../engine/exits.ts';
import { readOrderName } from '../engine/order-names.ts';
import { NO_UNITS } from '../domain/money.ts';
import { readFigures } from '../engine/strategy-instance-record.ts';
import { MirrorReader } from '../mirror/mirror-reader.ts';
import type { HttpRequest, HttpResponse, Transport } from '../exchange/transport.ts';

/** State of a bot that has gone silent, so that its entries are canceled. */
export interface SilentBot {
  /** Time for which its loop has stood still, in ms. */
  readonly forMs: number;
  /** Checked before each request: a bot that is back manages its orders itself. */
  readonly isBack: () => boolean;
}

/**
 * Maximum number of pages of a list of open orders that are read: the exchange allows far fewer orders for
 * one account.
 */
const MOST_PAGES = 50;

/** Longest wait of a request for its slot, in ms. A lockout ends this attempt, and the next comes later. */
const WAITS_MS = 120_000;

/** Result of canceling the entries of a silent bot. */
export interface CanceledEntries {
  /** Client order ids of the canceled orders; below, those of the exits that stay. */
  readonly canceled: readonly string[];
  readonly kept: readonly string[];
  /** Orders that may still be open, with the reason. */
  readonly left: readonly { readonly order: string; readonly reason: string }[];
  /** Orders that the exchange does not list and that may still appear: lists lag, requests arrive late. */
  readonly unseen: readonly string[];
  /** True if the bot came back meanwhile, so that the rest was left to it. */
  readonly isBack: boolean;
}

interface CancelEntriesOptions extends SilentBot {
  readonly profile: VenueProfile;
  readonly caller: VenueCaller;
  readonly limiter: Limiter;
  /** Clocks: one for the end of requests, one for the limiter. Both in ms. */
  readonly nowMs: () => number;
  readonly limiterMs: () => number;
  /** The bot's instance name, by which its orders are known. */
  readonly instance: string;
  /** Time after sending within which a request may still arrive, in ms. */
  readonly lateArrivalMs: number;
  readonly readOwn: () => OwnOrders;
}

/**
 * Cancels the open orders of a silent bot that can open or increase a position; its exits stay. It uses slots
 * of the ledger that the bot shares, from the part reserved for cancels. It writes none of the bot's data: a
 * bot that comes back finds its orders canceled, as by anybody else. Throws `DATA_UNUSABLE` if the mirror
 * cannot be read, and the error of a request that could not be made.
 */
export async function cancelEntries(options: CancelEntriesOptions): Promise<CanceledEntries> {
  const listed = await openOrders(options);
  if (listed === null) return { canceled: [], kept: [], left: [], unseen: [], isBack: true };
  const { orders: own, heldOf } = options.readOwn();
  const { marketNames } = options.profile;
  const { instance } = options;
  return cancelEach(options, sortOpenOrders({ listed, own, heldOf, marketNames, instance }));
}

async function ask(options: CancelEntriesOptions, call: VenueCall): Promise<VenueAnswer> {
  const { caller, limiter, nowMs, limiterMs } = options;
  const { answer } = await sendRequest(
    { call, requestClass: 'cancel', dedupe: null, expiresAtMs: nowMs() + WAITS_MS },
    { caller, limiter, canLogIn: false, engineMs: nowMs, limiterMs },
  );
  return answer;
}

/** Returns all open orders of the account; null if the bot came back before they were read. */
async function openOrders(options: CancelEntriesOptions): Promise<readonly VenueOrder[] | null> {
  const venue = options.profile;
  const all: VenueOrder[] = [];
  const markets = new OwnMarkets(options.readOwn().orders.map(({ market }) => market));
  const calls = [...openOrdersCalls(venue, markets)];
  const most = calls.length * MOST_PAGES;
  for (let page = 0; page < most; page += 1) {
    if (options.isBack()) return null;
    const [call] = calls;
    if (call === undefined) return all;
    const answer = await ask(options, call);
    if (answer.outcome !== 'value') {
      if (options.isBack()) return null;
      throw new SarrafError('SERVER_ERROR', `expected the list of open orders: ${reasonOf(answer)}`);
    }
    const { items, hasNext } = answer.value as Page<VenueOrder>;
    all.push(...items);
    const next = hasNext === true ? nextOrdersPage(venue, call, items) : null;
    calls.splice(0, 1, ...(next === null ? [] : [next]));
  }
  return all;
}

async function cancelEach(
  options: CancelEntriesOptions,
  { entries, exits, strange, unseen }: SortedOrders,
): Promise<CanceledEntries> {
  const { isBack } = options;
  const canceled: string[] = [];
  const left = strange.map(({ clientOrderId, id }) => ({
    order: clientOrderId ?? String(id),
    reason: "the bot's records do not have it as open",
  }));
  const kept = exits.map(({ order }) => order.key);
  const result = { canceled, kept, left, unseen: mayTurnUp(unseen, options) };
  for (const { order, listed } of entries) {
    if (isBack()) return { ...result, isBack: true };
    if (listed.id === null) {
      left.push({ order: order.key, reason: 'the exchange lists it without an id' });
      continue;
    }
    const { market } = order;
    const answer = await ask(options, { kind: 'cancel', market, venueId: listed.id, clientOrderId: null });
    if (answer.outcome === 'value') canceled.push(order.key);
    else if (isBack()) return { ...result, isBack: true };
    else left.push({ order: order.key, reason: reasonOf(answer) });
  }
  return { ...result, isBack: false };
}

/**
 * Returns orders that may still appear; an order not listed that long after the last request does not exist.
 */
function mayTurnUp(
  unseen: readonly OrderRecord[],
  { forMs, lateArrivalMs }: CancelEntriesOptions,
): readonly string[] {
  return forMs < lateArrivalMs ? unseen.map(({ key }) => key) : [];
}

function reasonOf(answer: Exclude<VenueAnswer, { readonly outcome: 'value' }>): string {
  return answer.outcome === 'unsent' ? answer.reason : `${answer.code}: ${answer.message}`;
}

/** Data for sorting: open orders listed by the exchange, and the silent bot's stored orders. */
interface ListedOrders {
  readonly listed: readonly VenueOrder[];
  /** The bot's orders in the mirror that have not ended. */
  readonly own: readonly OrderRecord[];
  readonly heldOf: HeldOf;
  readonly marketNames: MarketNames;
  /** Prefix of every id of the bot's orders. */
  readonly instance: string;
}

/** An open order of the bot, by its own record and the exchange's. */
interface OpenOrder {
  readonly order: OrderRecord;
  readonly listed: VenueOrder;
}

/** The bot's open orders, sorted by what a watchdog does with them. */
interface SortedOrders {
  /** Orders that can open or increase a position. */
  readonly entries: readonly OpenOrder[];
  /** Orders that only reduce a position, or are the exit of a bracket. */
  readonly exits: readonly OpenOrder[];
  /** Orders with a name of the bot that are not in its records, as after a restored copy: purpose unknown. */
  readonly strange: readonly VenueOrder[];
  /** Recorded orders, not exits, that may be at the exchange but are not in its list. */
  readonly unseen: readonly OrderRecord[];
}

/**
 * Sorts the bot's open orders. An order is the bot's if the mirror has its client order id: the id is stored
 * before the request leaves. All other orders stay, such as those of people and of other bots. The mirror may
 * be out of date, since the bot no longer reads its fills. So the exit of a bracket always stays, whatever
 * the mirror says about the position.
 */
export function sortOpenOrders({ listed, own, heldOf, marketNames, instance }: ListedOrders): SortedOrders {
  const byClientOrderId = new Map(
    own.flatMap((order) => (order.clientOrderId === null ? [] : [[order.clientOrderId, order] as const])),
  );
  const open = listed.flatMap((record): readonly OpenOrder[] => {
    const order = record.clientOrderId === null ? undefined : byClientOrderId.get(record.clientOrderId);
    return order === undefined ? [] : [{ order, listed: record }];
  });
  const pairs = new Set(open.flatMap(({ order }) => (order.pairKey === null ? [] : [order.pairKey])));
  const live = own.filter(({ key }) => pairs.has(key) || open.some(({ order }) => order.key === key));
  const reducing = exitsAmong(live, heldOf, marketNames);
  const isExit = ({ order }: OpenOrder): boolean => order.exit !== null || reducing.has(order.key);
  const seen = new Set(open.map(({ order }) => order.key));
  return {
    entries: open.filter((each) => !isExit(each)),
    exits: open.filter(isExit),
    strange: listed.filter(
      ({ clientOrderId }) =>
        readOrderName(clientOrderId)?.instance === instance &&
        (clientOrderId === null || !byClientOrderId.has(clientOrderId)),
    ),
    unseen: own.filter(
      ({ key, clientOrderId, exit, state }) =>
        MAY_BE_THERE.has(state) && clientOrderId !== null && exit === null && !seen.has(key),
    ),
  };
}

/** States of an order that may be at the exchange: a list may lag, and a request may still be on its way. */
const MAY_BE_THERE: ReadonlySet<OrderRecord['state']> = new Set(['sending', 'unknown', 'open', 'cancelling']);

/** Maximum number of own orders that are read from the mirror. */
const MOST_ORDERS = 100_000;

/** Orders and positions that a bot has stored. */
interface OwnOrders {
  /** Orders that have not ended. */
  readonly orders: readonly OrderRecord[];
  readonly heldOf: HeldOf;
}

/** Reads orders and positions from a mirror, also while its bot runs. Throws `DATA_UNUSABLE` if it cannot. */
export function readOwnOrders(mirrorPath: string, marketNames: MarketNames): OwnOrders {
  using reader = new MirrorReader(mirrorPath);
  const ledgers = new Map(
    reader.strategies().map((record) => [record.name, readFigures(record, marketNames).ledger]),
  );
  return {
    orders: reader.orders({ state: 'open', strategy: null, market: null, last: MOST_ORDERS }),
    heldOf: (strategy, asset) => ledgers.get(strategy)?.held(asset) ?? NO_UNITS,
  };
}

/**
 * Transport of a watchdog to the exchange, which refuses requests once the bot is back. It checks when a
 * request leaves, since the request may have waited long for its slot or for a log-in.
 */
export class WhileSilent implements Transport {
  private readonly inner: Transport;
  private readonly isBack: () => boolean;

  constructor(inner: Transport, isBack: () => boolean) {
    this.inner = inner;
    this.isBack = isBack;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    if (this.isBack()) {
      throw new SarrafError('ABORTED', 'the bot is back, so the watchdog sent nothing', { outcome: 'none' });
    }
    return this.inner.send(request);
  }

  async close(): Promise<void> {
    await this.inner.close();
  }
}
