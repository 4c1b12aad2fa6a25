import { parseMarket } from '../exchange/market-names.ts';
import { formatUnits, type Units } from '../domain/money.ts';
import { clockText, durationText } from '../domain/time-text.ts';
import { feeCurrencyOf, type FillRecord } from '../records/fill.ts';
import type { VenueOrderId } from '../domain/order.ts';
import type { OrderRecord } from '../records/order.ts';
import { rowLines, tableLines } from './table.ts';
import { withReadableNumbers } from '../language/format-number.ts';
import { english, sentenceFacts, type Sentence } from '../language/sentence.ts';
import { bothTimesText } from '../domain/zone-time.ts';
import { scopeText, UNTIL_RESUMED_MS, type Lock } from '../engine/lock.ts';
import { whyLocked, type LocksNow } from '../mirror/strategy-status.ts';

/** Writes units for people; nothing for null. */
export const unitsText = (units: Units | null): string => (units === null ? '' : formatUnits(units));

export function orderLines(orders: readonly OrderRecord[], nowMs: number): string[] {
  return rowLines(orders, {
    'time (UTC)': ({ plannedAtMs }) => clockText(plannedAtMs, nowMs),
    order: ({ key }) => key,
    strategy: ({ strategy }) => strategy,
    market: ({ market }) => market,
    side: ({ side }) => side,
    type: ({ execution }) => execution,
    '>price': ({ price }) => (price === null ? 'market' : formatUnits(price)),
    '>stop': ({ stopPrice }) => unitsText(stopPrice),
    '>amount': ({ amount }) => formatUnits(amount),
    '>filled': ({ filled }) => formatUnits(filled),
    state: ({ state }) => state,
    note: ({ exit, tag, reason }) =>
      [exit ?? '', tag ?? '', reasonText(reason)].filter((note) => note !== '').join(', '),
  });
}

/** Names of orders that were placed by hand, by their ids at the venue. */
type ManualOrders = ReadonlyMap<VenueOrderId, string>;

/** Returns the name of the order by hand that a trade is of; null if it is of none. */
export const manualNameOf = ({ venueOrderId }: FillRecord, manual: ManualOrders): string | null =>
  venueOrderId === null ? null : (manual.get(venueOrderId) ?? null);

/** Returns a table of the account's trades: manual ones are of orders by hand, foreign ones of none. */
export function fillLines(
  fills: readonly FillRecord[],
  { nowMs, manual }: { readonly nowMs: number; readonly manual: ManualOrders },
): string[] {
  return rowLines(fills, {
    'time (UTC)': ({ atMs }) => clockText(atMs, nowMs),
    '>trade': ({ tradeId }) => String(tradeId),
    strategy: (fill) => fill.strategy ?? (manualNameOf(fill, manual) === null ? '(foreign)' : '(manual)'),
    market: ({ market }) => market,
    side: ({ side }) => side,
    '>price': ({ price }) => formatUnits(price),
    '>amount': ({ amount }) => formatUnits(amount),
    '>total': ({ total }) => formatUnits(total),
    '>fee': feeText,
    order: (fill) =>
      fill.orderKey ??
      manualNameOf(fill, manual) ??
      (fill.venueOrderId === null ? '' : `(${fill.venueOrderId})`),
  });
}

/** Returns a fee with its currency, as far as the market of the trade is known. */
function feeText(fill: FillRecord): string {
  const currency = fill.market === '?' ? fill.feeCurrency : feeCurrencyOf(fill, parseMarket(fill.market));
  return `${formatUnits(fill.fee)}${currency === null ? '' : ` ${currency}`}`;
}

/** Returns a reason as people read it. `--json` has the exact one; foreign texts stay as they are. */
export function reasonText(reason: Sentence | null): string {
  const text = english(reason) ?? '';
  return sentenceFacts(reason) === null ? text : withReadableNumbers(text);
}

const COLUMNS = ['lock', 'of', '>for', 'until', 'entries', 'why'] as const;

/** Returns a table of locks; no lines if there are none. */
export function lockLines(locks: readonly Lock[], nowMs: number): readonly string[] {
  if (locks.length === 0) return [];
  return tableLines(
    COLUMNS,
    locks.map((lock) => [
      lock.name,
      scopeText(lock),
      ...(lock.endsAtMs >= UNTIL_RESUMED_MS
        ? ['', '"sarraf resume"']
        : [durationText(lock.endsAtMs - nowMs), bothTimesText(lock.endsAtMs)]),
      lock.entries,
      english(whyLocked(lock)),
    ]),
  );
}

/** Describes locks in one line, for an overview. */
export function locksText({ locks, nextChangeAtMs }: LocksNow): string {
  const names = locks.map((lock) => `${lock.name} of ${scopeText(lock)}`);
  const next = nextChangeAtMs === null ? '' : `; next change ${bothTimesText(nextChangeAtMs)}`;
  if (names.length === 0) return `none${next}`;
  return `${names.length} hold: ${names.join(', ')}${next}. "sarraf locks" shows them`;
}
