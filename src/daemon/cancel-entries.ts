import { SarrafError } from '../domain/errors.ts';
import type { VenueOrder, ListCursor } from '../domain/order.ts';
import type { Limiter } from '../budget/limiter.ts';
import type { OrderRecord } from '../records/order.ts';
import { nextOrdersPage } from '../engine/own-list.ts';
import { profileOf } from '../venues/interface-profile.ts';
import type { Page, VenueAnswer, VenueCall } from '../venues/port.ts';
import { sendRequest, type VenueCaller } from '../venues/venue-caller.ts';
import type { MarketNames } from '../domain/market-symbol.ts';
import { exitsAmong, type HeldOf } from '../engine/exits.ts';
import { readOrderName } from '../engine/order-names.ts';
import { NO_UNITS } from '../domain/money.ts';
import { readFigures } from '../engine/strategy-instance-record.ts';
import { MirrorReader } from '../mirror/mirror-reader.ts';
import type { HttpRequest, HttpResponse, Transport } from '../exchange/transport.ts';

/** A silence in which entries are to be canceled. */
export interface SilentBot {
  /** Time its loop has stood still, in ms. */
  readonly forMs: number;
  /** Asked before each request: a bot that is back looks after its orders itself. */
  readonly isBack: () => boolean;
}

/** Pages of open orders that are read at most: the exchange has far fewer orders of one account. */
const MOST_PAGES = 50;

/** Maximum wait of a request for its slot: a lockout ends this attempt, and the next one comes later. */
const WAITS_MS = 120_000;

/** Result of canceling the entries of a silent bot. */
export interface CanceledEntries {
  /** Client order ids. */
  readonly canceled: readonly string[];
  readonly kept: readonly string[];
  /** Those that may still be open, with the reason. */
  readonly left: readonly { readonly order: string; readonly reason: string }[];
  /** Orders that the exchange does not list, and that may turn up: lists lag, and requests arrive late. */
  readonly unseen: readonly string[];
  /** True if the bot woke up meanwhile, so that the rest was left to it. */
  readonly isBack: boolean;
}

interface CancelEntriesOptions extends SilentBot {
  readonly caller: VenueCaller;
  readonly limiter: Limiter;
  /** The clocks of the requests' ends and of the limiter. */
  readonly nowMs: () => number;
  readonly limiterMs: () => number;
  /** The bot's instance, by whose name its orders are known. */
  readonly instance: string;
  /** Time after sending within which a request may still arrive. */
  readonly lateArrivalMs: number;
  readonly readOwn: () => OwnOrders;
}

/**
 * Cancels at the exchange what a silent bot left open and can open or add to a position; its exits stay. It
 * takes its slots from the ledger that the bot shares, from the part that is kept for cancels. It writes
 * nothing that is the bot's: a bot that comes back finds its orders canceled, as by any other hand. Throws
 * `DATA_UNUSABLE` where the mirror can not be read, and what a request throws that could not be made.
 */
export async function cancelEntries(options: CancelEntriesOptions): Promise<CanceledEntries> {
  const listed = await openOrders(options);
  if (listed === null) return { canceled: [], kept: [], left: [], unseen: [], isBack: true };
  const { orders: own, heldOf } = options.readOwn();
  const { marketNames } = profileOf(options.caller);
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

/** All open orders of the account; null where the bot is back before they are read. */
async function openOrders(options: CancelEntriesOptions): Promise<readonly VenueOrder[] | null> {
  const venue = profileOf(options.caller);
  const all: VenueOrder[] = [];
  let from: ListCursor | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    if (options.isBack()) return null;
    const answer = await ask(options, { kind: 'orders', status: 'open', from });
    if (answer.outcome !== 'value') {
      if (options.isBack()) return null;
      throw new SarrafError('SERVER_ERROR', `expected the list of open orders: ${reasonOf(answer)}`);
    }
    const { items, hasNext } = answer.value as Page<VenueOrder>;
    all.push(...items);
    from = hasNext === true ? nextOrdersPage(venue, { from, items }) : null;
    if (from === null) return all;
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
    const answer = await ask(options, { kind: 'cancel', venueId: listed.id, clientOrderId: null });
    if (answer.outcome === 'value') canceled.push(order.key);
    else if (isBack()) return { ...result, isBack: true };
    else left.push({ order: order.key, reason: reasonOf(answer) });
  }
  return { ...result, isBack: false };
}

/**
 * Returns orders that may still appear. One not listed so long after the bot's last request no longer exists.
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

/** Open orders listed by the exchange, and the stored data of the bot that went silent. */
interface ListedOrders {
  readonly listed: readonly VenueOrder[];
  /** Own orders that are not at their end, as the mirror has them. */
  readonly own: readonly OrderRecord[];
  readonly heldOf: HeldOf;
  readonly marketNames: MarketNames;
  /** The first part of every id of the bot's orders. */
  readonly instance: string;
}

/** An open order of the bot as the exchange has it. */
interface OpenOrder {
  readonly order: OrderRecord;
  readonly listed: VenueOrder;
}

/** Own orders that are open, by what a watchdog does with them. */
interface SortedOrders {
  /** They can open or add to a position. */
  readonly entries: readonly OpenOrder[];
  /** They only reduce one, or are the exit of a bracket. */
  readonly exits: readonly OpenOrder[];
  /**
   * They have a name of the bot and are not in its records, as after a restored copy: nobody knows what for.
   */
  readonly strange: readonly VenueOrder[];
  /** Those of its records that are no exits, that may be at the exchange, and that it does not list. */
  readonly unseen: readonly OrderRecord[];
}

/**
 * Sorts the bot's open orders. An order is the bot's if the mirror has its client order id: each is there
 * before its request leaves. All others stay, those of people and of other bots among them. The mirror may
 * be behind, since the bot no longer reads its fills. So an order that was known as the exit of a bracket
 * stays whatever the mirror thinks is held.
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

/** A list may lag, and a request may still be on its way. */
const MAY_BE_THERE: ReadonlySet<OrderRecord['state']> = new Set(['sending', 'unknown', 'open', 'cancelling']);

/** Own orders that the mirror is asked for. */
const MOST_ORDERS = 100_000;

/** Orders and positions stored by a bot. */
interface OwnOrders {
  /** Those that are not at their end. */
  readonly orders: readonly OrderRecord[];
  readonly heldOf: HeldOf;
}

/** Reads it from a mirror, also while its bot is alive. Throws `DATA_UNUSABLE` where it can not be read. */
export function readOwnOrders(mirrorPath: string, marketNames: MarketNames): OwnOrders {
  const reader = new MirrorReader(mirrorPath);
  try {
    const ledgers = new Map(
      reader.strategies().map((record) => [record.name, readFigures(record, marketNames).ledger]),
    );
    return {
      orders: reader.orders({ state: 'open', strategy: null, market: null, last: MOST_ORDERS }),
      heldOf: (strategy, asset) => ledgers.get(strategy)?.held(asset) ?? NO_UNITS,
    };
  } finally {
    reader.close();
  }
}

/**
 * The way to the exchange of a watchdog: shut once the bot is back. A request may have waited long for its
 * slot or for a log-in, so it is asked when it leaves.
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
