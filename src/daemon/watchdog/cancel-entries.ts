import { SarrafError } from '../../domain/errors.ts';
import { NO_UNITS } from '../../domain/money.ts';
import type { VenueOrder } from '../../domain/order.ts';
import { monotonicMs } from '../../budget/process-owner.ts';
import { readFigures } from '../../engine/strategy-instance-record.ts';
import type { HeldOf } from '../../execution/exits.ts';
import { nextOrdersPage } from '../../execution/own-list.ts';
import { mirrorPathOf } from '../../mirror/mirror-path.ts';
import { MirrorReader } from '../../mirror/mirror-reader.ts';
import { profileOf } from '../../venues/interface-profile.ts';
import { openRemoteExchange, type RemoteExchange } from '../../venues/live/live-venue.ts';
import type { ListCursor, Page, VenueAnswer, VenueCall } from '../../venues/port.ts';
import { sendRequest } from '../../venues/venue-caller.ts';
import type { BotConfig } from '../settings/create-bot-config.ts';
import { sortOpenOrders, type SortedOrders } from './entries-among.ts';

/** Pages of open orders that are read at most: the exchange has far fewer orders of one account. */
const MOST_PAGES = 50;

/** Own orders that the mirror is asked for. */
const MOST_ORDERS = 100_000;

/** How long a request may wait for its slot: a lockout ends this attempt, and the next one comes later. */
const WAITS_MS = 120_000;

/** What became of the entries of a bot that is silent. */
export interface CanceledEntries {
  /** Client order ids. */
  readonly canceled: readonly string[];
  readonly kept: readonly string[];
  /** Those that may still be open, with the reason. */
  readonly left: readonly { readonly order: string; readonly reason: string }[];
  /** Whether the bot woke up meanwhile, so that the rest was left to it. */
  readonly isBack: boolean;
}

export interface CancelEntriesOptions {
  readonly config: BotConfig;
  /** Asked before each request: a bot that is back looks after its orders itself. */
  readonly isBack: () => boolean;
  readonly onProblem: (message: string) => void;
}

/**
 * Cancels at the exchange what a silent bot left open and can open or add to a position; its exits stay. It
 * takes its slots from the ledger that the bot shares, from the part that is kept for cancels. It writes
 * nothing that is the bot's: a bot that comes back finds its orders canceled, as by any other hand. Throws
 * `DATA_UNUSABLE` where the mirror can not be read, and what a request throws that could not be made.
 */
export async function cancelEntries(options: CancelEntriesOptions): Promise<CanceledEntries> {
  const { config, isBack, onProblem } = options;
  const { baseUrl, credentials } = config.exchange;
  if (baseUrl === null || credentials === null) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      'expected exchange.baseUrl and exchange.credentials to cancel entries with',
    );
  }
  const remote = await openRemoteExchange({ config, baseUrl, credentials, onProblem, isGuest: true });
  try {
    const listed = await openOrders(remote, isBack);
    if (listed === null) return { canceled: [], kept: [], left: [], isBack: true };
    return await cancelEach(remote, { ...options, sorted: sortOwn(config.data.folder, { remote, listed }) });
  } finally {
    await remote.close();
  }
}

async function ask(remote: RemoteExchange, call: VenueCall): Promise<VenueAnswer> {
  const request = { call, requestClass: 'cancel', dedupe: null } as const;
  const { answer } = await sendRequest(
    { ...request, expiresAtMs: remote.time.now() + WAITS_MS },
    { ...remote, canLogIn: false, engineMs: () => remote.time.now(), limiterMs: monotonicMs },
  );
  return answer;
}

/** All open orders of the account; null where the bot is back before they are read. */
async function openOrders(
  remote: RemoteExchange,
  isBack: () => boolean,
): Promise<readonly VenueOrder[] | null> {
  const venue = profileOf(remote.caller);
  const all: VenueOrder[] = [];
  let from: ListCursor | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    if (isBack()) return null;
    const answer = await ask(remote, { kind: 'orders', status: 'open', from });
    if (answer.outcome !== 'value')
      throw new SarrafError('SERVER_ERROR', `expected the list of open orders: ${reasonOf(answer)}`);
    const { items, hasNext } = answer.value as Page<VenueOrder>;
    all.push(...items);
    from = hasNext === true ? nextOrdersPage(venue, { from, items }) : null;
    if (from === null) return all;
  }
  return all;
}

function sortOwn(
  dataFolder: string,
  { remote, listed }: { readonly remote: RemoteExchange; readonly listed: readonly VenueOrder[] },
): SortedOrders {
  const { marketNames } = profileOf(remote.caller);
  const reader = new MirrorReader(mirrorPathOf(dataFolder));
  try {
    const own = reader.orders({ state: 'open', strategy: null, market: null, last: MOST_ORDERS });
    const ledgers = new Map(
      reader.strategies().map((record) => [record.name, readFigures(record, marketNames).ledger]),
    );
    const heldOf: HeldOf = (strategy, asset) => ledgers.get(strategy)?.held(asset) ?? NO_UNITS;
    return sortOpenOrders({ listed, own, heldOf, marketNames });
  } finally {
    reader.close();
  }
}

async function cancelEach(
  remote: RemoteExchange,
  { isBack, sorted }: CancelEntriesOptions & { readonly sorted: SortedOrders },
): Promise<CanceledEntries> {
  const canceled: string[] = [];
  const left: { order: string; reason: string }[] = [];
  const kept = sorted.exits.map(({ order }) => order.key);
  for (const { order, listed } of sorted.entries) {
    if (isBack()) return { canceled, kept, left, isBack: true };
    if (listed.id === null) {
      left.push({ order: order.key, reason: 'the exchange lists it without an id' });
      continue;
    }
    const answer = await ask(remote, { kind: 'cancel', venueId: listed.id, clientOrderId: null });
    if (answer.outcome === 'value') canceled.push(order.key);
    else left.push({ order: order.key, reason: reasonOf(answer) });
  }
  return { canceled, kept, left, isBack: false };
}

function reasonOf(answer: Exclude<VenueAnswer, { readonly outcome: 'value' }>): string {
  return answer.outcome === 'unsent' ? answer.reason : `${answer.code}: ${answer.message}`;
}
