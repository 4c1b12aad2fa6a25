import { sentence } from '../../language/sentence.ts';
import { Decimal } from 'decimal.js';
import {
  cancelManyText,
  cancelOneText,
  closeText,
  holdsText,
  placeByHandText,
  cancelNeed,
  cancelNeedText,
} from '../../daemon/by-hand-text.ts';
import { readFigures } from '../../engine/strategy-instance-record.ts';
import { MARKET_NAMES, parseMarket } from '../../exchange/market-names.ts';
import { exitsAmong } from '../../engine/exits.ts';
import { reaches } from '../../engine/lock.ts';
import { type OrderRecord, type OrderWith, type BY_HAND_ORDER } from '../../records/order.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { ApiError } from '../api-error.ts';
import { positionItems } from '../readers/strategy-items.ts';
import type { CostReply } from '../schema/action.ts';

/** Orders that are counted; no account has as many. */
const MOST_COUNTED = 100_000;
const MOST_NAMED = 500;

type Place = CostReply['places'][number];

/** Planned work on orders, for the person who is asked before. */
export interface PlannedWork {
  readonly cancels: readonly OrderRecord[];
  readonly places: readonly Place[];
  /** Effect, in a sentence of its own. */
  readonly text: string;
}

/** The cost of it, as the command line counts and says it. */
export function costOf({ cancels, places, text }: PlannedWork): CostReply {
  const count = cancels.length;
  const { limit, windowMs, needMs } = cancelNeed(count);
  return {
    dryRun: true,
    cancels: cancels.slice(0, MOST_NAMED).map(({ key }) => key),
    cancelCount: count,
    places: [...places],
    requests: count + places.length,
    limit: count === 0 ? null : limit,
    windowMs: count === 0 ? null : windowMs,
    seconds: Math.ceil(needMs / 1_000),
    text,
  };
}

const openOrders = (reader: MirrorReader): readonly OrderRecord[] =>
  reader.orders({ state: 'open', strategy: null, market: null, last: MOST_COUNTED });

/** Returns work that is only a text and needs nothing from the exchange. */
export function costlessWork(text: string): PlannedWork {
  return { cancels: [], places: [], text };
}

export function haltWork(reader: MirrorReader): PlannedWork {
  const cancels = openOrders(reader);
  return {
    cancels,
    places: [],
    text: `This stops trading until it is resumed, and cancels the orders of the bot; ${cancelNeedText(cancels.length)}.`,
  };
}

interface CancelScope {
  readonly order: string | null;
  readonly strategy: string | null;
  readonly market: string | null;
}

export function cancelWork(reader: MirrorReader, scope: CancelScope): PlannedWork {
  const { order, strategy, market } = scope;
  if (order === null) {
    const cancels = openOrders(reader).filter(
      (one) => (strategy === null || one.strategy === strategy) && (market === null || one.market === market),
    );
    return {
      cancels,
      places: [],
      text: cancelManyText(cancelNeedText(cancels.length)),
    };
  }
  const cancels = openOrders(reader).filter(({ key, venueId }) => key === order || venueId === order);
  if (cancels.length === 0)
    throw new ApiError('not-found', sentence('not-an-open-order', { found: JSON.stringify(order) }), {
      field: 'order',
    });
  return { cancels, places: [], text: cancelOneText(order) };
}

/** Canceled are the orders of a coin in all its markets, as the bot does it; sold is what is held of it. */
export function closeWork(
  reader: MirrorReader,
  { strategy, market }: { readonly strategy: string; readonly market: string | null },
): PlannedWork {
  const coin = market === null ? null : parseMarket(market).base;
  const isThere = (base: string): boolean => coin === null || base === coin;
  const own = openOrders(reader).filter((order) => order.strategy === strategy);
  const cancels = own.filter((order) => isThere(parseMarket(order.market).base));
  const held = positionItems(reader, own).filter(
    (position) => position.strategy === strategy && isThere(position.asset),
  );
  const places = held.map(({ market: own, asset, currency, amount, value }): Place => {
    const isOwed = amount.startsWith('-');
    return {
      market: market ?? own ?? asset,
      side: isOwed ? 'buy' : 'sell',
      amount: isOwed ? amount.slice(1) : amount,
      isReduceOnly: true,
      value: value === null ? null : value.replace('-', ''),
      currency,
    };
  });
  const holds = holdsText(
    strategy,
    held.map(({ asset, amount }) => [asset, amount]),
  );
  return {
    cancels,
    places,
    text: closeText({ strategy, market, holds, need: cancelNeedText(cancels.length) }),
  };
}

/** Canceled are the orders in its reach that add risk, unless they are kept. */
export function lockWork(
  reader: MirrorReader,
  lock: {
    readonly strategy: string | null;
    readonly market: string | null;
    readonly entries: 'cancel' | 'keep';
    readonly text: string;
  },
): PlannedWork {
  const cancels = lock.entries === 'keep' ? [] : entriesWithin(reader, lock);
  const need = cancels.length === 0 ? 'no order has to be canceled' : cancelNeedText(cancels.length);
  return { cancels, places: [], text: `${lock.text}; ${need}.` };
}

function entriesWithin(
  reader: MirrorReader,
  scope: { readonly strategy: string | null; readonly market: string | null },
): readonly OrderRecord[] {
  const open = openOrders(reader);
  const ledgers = new Map(
    reader.strategies().map((record) => [record.name, readFigures(record, MARKET_NAMES).ledger]),
  );
  const exits = exitsAmong(
    open,
    (strategy, asset) => ledgers.get(strategy)?.state.holdings.get(asset)?.held ?? NOTHING,
    MARKET_NAMES,
  );
  return open.filter(({ key, strategy, market }) => reaches(scope, strategy, market) && !exits.has(key));
}

const NOTHING = 0n as OrderRecord['amount'];

export function placeWork(order: Pick<OrderWith<string>, (typeof BY_HAND_ORDER)[number]>): PlannedWork {
  const { market, side, amount, price, stopPrice } = order;
  const at = price ?? stopPrice;
  const value = at === null ? null : new Decimal(amount).times(at).toFixed();
  const { quote } = parseMarket(market);
  const worth =
    value === null
      ? 'It has no price: it fills at whatever the market gives.'
      : `It is worth ${value} ${quote}.`;
  return {
    cancels: [],
    places: [{ market, side, amount, isReduceOnly: false, value, currency: quote }],
    text: placeByHandText(order, worth),
  };
}
