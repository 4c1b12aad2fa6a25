import { requestsFigure } from '../../domain/figure-name.ts';
import { formatUnits, type Units } from '../../domain/money.ts';
import { LastPrices } from '../../mirror/strategy-status.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { TripRegister, type ListedTrip } from '../../mirror/trip-register.ts';
import { QUALITY_KEYS, readQualities } from '../../mirror/read-qualities.ts';
import { groupQualities, qualityItem } from '../../portfolio/execution-quality.ts';
import {
  groupItem,
  groupTrips,
  groupTripsBy,
  MOST_GROUPS,
  periodOf,
  reasonOf,
  tagsOf,
  valueAt,
} from '../../portfolio/round-trips.ts';
import type {
  ProfitsQuery,
  ProfitsReply,
  QualityQuery,
  QualityReply,
  TripItem,
  TripsQuery,
  TripsReply,
} from '../schema/trip.ts';
import { tryMarket } from './row-items.ts';

/** Trips of a strategy or market, and the currency of each. */
type ShownTrip = ListedTrip & Omit<TripItem, keyof ListedTrip> & { readonly hasPrice: boolean };

/** One register a mirror: it continues where the reply before ended. */
const registers = new WeakMap<MirrorReader, TripRegister>();

function shownTrips(
  reader: MirrorReader,
  of: { readonly strategy?: string | undefined; readonly market?: string | undefined },
): readonly ShownTrip[] {
  const register = registers.get(reader) ?? new TripRegister(reader);
  registers.set(reader, register);
  const prices = new LastPrices(reader.markets);
  const priceOf = (market: string): Units | null => prices.priceOf(market)?.price ?? null;
  return register
    .trips(priceOf)
    .filter(({ strategy }) => of.strategy === undefined || strategy === of.strategy)
    .filter(({ market }) => of.market === undefined || market === of.market)
    .map((trip) => {
      const { market, isOpen, profit, cost, entryPrice, firstStop, amount } = trip;
      const hasPrice = !isOpen || priceOf(market) !== null;
      const atRisk = firstStop === null ? 0n : valueAt((entryPrice - firstStop) as Units, amount);
      return {
        ...trip,
        hasPrice,
        currency: tryMarket(market)?.quote ?? '',
        change: hasPrice && cost > 0n ? Number(profit) / Number(cost) : null,
        risk: hasPrice && atRisk > 0n ? Number(profit) / Number(atRisk) : null,
      };
    });
}

/** Values that trips are sorted by; those without one come last. */
const VALUES: Readonly<Record<TripsQuery['by'], (trip: ShownTrip) => number | null>> = {
  closed: ({ closedAtMs }) => closedAtMs ?? Number.MAX_SAFE_INTEGER,
  opened: ({ openedAtMs }) => openedAtMs,
  profit: ({ hasPrice, profit }) => (hasPrice ? Number(profit) : null),
  change: ({ change }) => change,
  risk: ({ risk }) => risk,
  length: ({ closedAtMs, openedAtMs }) => (closedAtMs === null ? null : closedAtMs - openedAtMs),
  fees: ({ fees }) => Number(fees),
};

/** Maximum number of values of one filter. */
const MOST_CHOICES = 100;

export function tripsReplyOf(reader: MirrorReader, query: TripsQuery): TripsReply {
  const { state, reason, tag, from = 0, to = Number.MAX_SAFE_INTEGER, by, first, before, limit } = query;
  const all = shownTrips(reader, query);
  const isDated = query.from !== undefined || query.to !== undefined;
  const found = all.filter((trip) => {
    const { closedAtMs } = trip;
    if (state !== 'all' && (closedAtMs === null) !== (state === 'open')) return false;
    if (isDated && (closedAtMs === null || closedAtMs < from || closedAtMs >= to)) return false;
    return (
      (reason === undefined || reasonOf(trip) === reason) && (tag === undefined || tagsOf(trip).includes(tag))
    );
  });
  const sign = first === 'largest' ? -1 : 1;
  const sorted = found
    .map((trip) => ({ trip, value: VALUES[by](trip) }))
    .toSorted((left, right) =>
      left.value === null || right.value === null
        ? Number(left.value === null) - Number(right.value === null)
        : sign * (left.value - right.value),
    );
  const begin = Number(before ?? 0);
  const choices = (of: (trip: ShownTrip) => string | readonly string[]): string[] =>
    [...new Set(all.flatMap((trip) => of(trip)))]
      .filter((choice) => choice !== '')
      .toSorted()
      .slice(0, MOST_CHOICES);
  return {
    items: sorted.slice(begin, begin + limit).map(({ trip }) => itemOf(trip)),
    next: begin + limit < sorted.length ? String(begin + limit) : null,
    sums: groupTrips(found, ({ currency }) => currency).map((group) => ({
      currency: group.key,
      ...groupItem(group),
    })),
    choices: {
      strategies: choices(({ strategy }) => strategy),
      markets: choices(({ market }) => market),
      reasons: choices(reasonOf),
      tags: choices(tagsOf),
    },
  };
}

function itemOf(trip: ShownTrip): TripItem {
  const { hasPrice, amount, entryPrice, exitPrice, fees, profit } = trip;
  const { strategy, market, currency, entryOrder, exitOrder, openedAtMs, closedAtMs } = trip;
  const { hasUnvaluedFee, change, risk, entryTag, exitTag, exit, entry, note, tags } = trip;
  return {
    strategy,
    market,
    currency,
    entryOrder,
    exitOrder,
    openedAtMs,
    closedAtMs,
    amount: formatUnits(amount),
    entryPrice: formatUnits(entryPrice),
    exitPrice: hasPrice ? formatUnits(exitPrice) : null,
    fees: formatUnits(fees),
    hasUnvaluedFee,
    profit: hasPrice ? formatUnits(profit) : null,
    change,
    risk,
    entryTag,
    exitTag,
    exit,
    entry,
    note,
    tags: [...tags],
  };
}

/** Maximum number of orders whose quality is measured: the newest. */
const MOST_MEASURED = 5_000;

export function qualityReplyOf(reader: MirrorReader, query: QualityQuery): QualityReply {
  const { strategy = null, market = null, by } = query;
  const { qualities, standing } = readQualities(reader, {
    strategy,
    market,
    last: MOST_MEASURED,
    sinceMs: Number.NEGATIVE_INFINITY,
  });
  const groups = groupQualities(qualities, {
    keyOf: QUALITY_KEYS[by],
    currencyOf: (symbol) => tryMarket(symbol)?.quote ?? '',
  });
  return { standing, groups: groups.map(qualityItem) };
}

const NO_TRIPS = { trips: 0, wins: 0, profit: '0', fees: '0', unvaluedFees: 0, payoff: null, lengthMs: 0 };

/** Returns the number of requests that the bot sent, by the beginnings of days, weeks or months. */
function requestsBy(reader: MirrorReader, periodOf: (atMs: number) => number): ReadonlyMap<number, number> {
  const spent = new Map<number, number>();
  const range = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER };
  for (const name of reader.figureNames(requestsFigure('')))
    for (const { atMs, value } of reader.figures(name, range)) {
      const period = periodOf(atMs);
      spent.set(period, (spent.get(period) ?? 0) + Number(value));
    }
  return spent;
}

export function profitsReplyOf(reader: MirrorReader, query: ProfitsQuery): ProfitsReply {
  const { by, calendar, strategy, market } = query;
  const clock = { isUtc: false, calendar };
  const trips = shownTrips(reader, query);
  const isOfBot = strategy === undefined && market === undefined;
  const period = isOfBot ? periodOf(by, clock) : null;
  const spent = period === null ? null : requestsBy(reader, period);
  const groups = [...Map.groupBy(trips, ({ currency }) => currency)].flatMap(([currency, own], index) => {
    const found = groupTripsBy(own, by, clock);
    const busy = new Set(found.map(({ fromMs }) => fromMs));
    // Requests are of the bot, so times with requests alone are listed once.
    const idle = index > 0 ? [] : [...(spent?.keys() ?? [])].filter((fromMs) => !busy.has(fromMs));
    const all = [...found, ...idle.map((fromMs) => ({ ...NO_TRIPS, key: String(fromMs), fromMs }))];
    return (idle.length === 0 ? all : all.toSorted((left, right) => (right.fromMs ?? 0) - (left.fromMs ?? 0)))
      .slice(0, MOST_GROUPS)
      .map((group) => ({
        ...group,
        currency,
        requests: spent === null ? null : (spent.get(group.fromMs ?? 0) ?? 0),
      }));
  });
  return { groups };
}
