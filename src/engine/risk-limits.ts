import { invalidOptions } from '../domain/errors.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { formatUnits, type Units } from '../domain/money.ts';

/** Limit on a value, by quote currency in units of 1e-10; null or missing: no limit in that currency. */
export type ValueLimit = Readonly<Record<Currency, Units | null>>;

/** Limit on an amount, by base currency in lower case (`btc`), in units of 1e-10; missing: no limit. */
type AmountLimit = Readonly<Record<string, Units>>;

/** Value of each kind of limit; null: not limited. */
interface LimitValues {
  readonly amounts: AmountLimit | null;
  readonly values: ValueLimit | null;
  readonly count: number | null;
  /** Distance in hundredths of a percent. */
  readonly bps: number | null;
  /** Time in ms. */
  readonly time: number | null;
  readonly cooldown: { readonly losses: number; readonly pauseMs: number } | null;
  readonly flag: boolean;
}

export type LimitKind = keyof LimitValues;

/** Largest count that may be configured: more than any budget of the exchange allows, so more is a typo. */
const LARGEST_COUNT = 1_000_000;

const MOST: Readonly<Partial<Record<LimitKind, number>>> = {
  count: LARGEST_COUNT,
  bps: 10_000,
  time: Number.MAX_SAFE_INTEGER,
};

/** Declares a limit: its kind, its default, and its meaning as the docs of the configuration show it. */
function limit<Kind extends LimitKind>(
  kind: Kind,
  usual: LimitValues[Kind],
  about: string,
  { most = MOST[kind] ?? LARGEST_COUNT, isOfBot = false } = {},
) {
  return { kind, usual, about, most, isOfBot } as const;
}

const OF_BOT = { isOfBot: true };

/**
 * Limits of the bot; null: not checked. An order may reach a limit exactly, but not exceed it by one unit. A
 * limit is for each strategy unless its text states otherwise; `isOfBot` ones are for all strategies
 * together. The defaults prevent mistakes that no strategy makes on purpose. Values have no default limit,
 * since only the owner knows how much money may be at risk.
 */
export const RISK_LIMITS = {
  maxOrderAmount: limit(
    'amounts',
    null,
    'The largest amount of one order, by base currency, such as { btc: 0.5 }.',
  ),
  /** Calculated with the highest price at which the order may trade. */
  maxOrderValue: limit('values', null, 'The largest value of one order, by quote currency.'),
  maxPosition: limit(
    'amounts',
    null,
    'The largest position of a strategy in a coin over all its markets, by base currency, once all live orders of a side have traded.',
  ),
  /** Planned orders count, too. */
  maxOpenOrdersPerStrategy: limit('count', 50, 'The most live orders of one strategy.'),
  collarBps: limit(
    'bps',
    1_000,
    'How much worse a price may be than the best price of the other side, in hundredths of a percent.',
  ),
  /** A stop is measured from the best price that its trigger waits for. */
  passiveCollarBps: limit(
    'bps',
    null,
    'How far an order may wait from the best price of its own side, in hundredths of a percent.',
    { most: 1_000_000 },
  ),
  maxBookAgeMs: limit('time', 30_000, 'How long ago the bot may have read the book when it plans an order.'),
  /** Off by default: on some exchanges it is the time of the last change, long ago in a quiet market. */
  maxBookVenueAgeMs: limit('time', null, "How old the book may be by the exchange's own time."),
  maxStandstillMs: limit(
    'time',
    60_000,
    "How old a book may be by the exchange's own time while trades, statistics or other books are newer, and how long all of the exchange may stand still.",
  ),
  maxDailyLoss: limit(
    'values',
    null,
    'The largest loss since 00:00 UTC, as a positive value by quote currency.',
  ),
  maxDrawdown: limit(
    'values',
    null,
    'The largest fall from the highest result, as a positive value by quote currency.',
  ),
  /** Orders count at the time when they are planned. */
  maxOrdersPerMinute: limit('count', 60, 'The most orders of a strategy within any 60 seconds.'),
  maxOrdersPerHour: limit('count', null, 'The same within any 60 minutes.'),
  /** After `losses` losing round trips in a row, no new risk for `pauseMs` from the end of the last one. */
  lossCooldown: limit('cooldown', null, 'A pause after losses in a row.'),
  refuseSelfCrossing: limit(
    'flag',
    false,
    'Whether to refuse an order that could trade with another order of this bot, of any strategy.',
  ),
  maxMarketExposure: limit(
    'values',
    null,
    'The largest value that all strategies together may hold in one market, by quote currency.',
    OF_BOT,
  ),
  maxTotalExposure: limit('values', null, 'The same in all markets of a quote currency.', OF_BOT),
  maxOpenOrdersInAll: limit('count', 200, 'The most live orders of the whole bot.', OF_BOT),
};

/** Value of each limit, as made by `createRiskLimits`, which refuses invalid values. */
export type RiskLimits = {
  readonly [Name in keyof typeof RISK_LIMITS]: LimitValues[(typeof RISK_LIMITS)[Name]['kind']];
};

export type LimitName = keyof RiskLimits;

/** Limits that apply if nothing is configured. */
export const DEFAULT_RISK_LIMITS = Object.fromEntries(
  Object.entries(RISK_LIMITS).map(([name, { usual }]) => [name, usual]),
) as unknown as RiskLimits;

/** Returns the smallest of some limits; null if none of them is set. */
export function leastLimit(limits: readonly (number | null)[]): number | null {
  const given = limits.filter((limit) => limit !== null);
  return given.length === 0 ? null : Math.min(...given);
}

/**
 * Returns the default limits with some of them replaced. @throws SarrafError `INVALID_OPTIONS` for a count,
 * time or distance that is not a whole number in its range, and for a negative value.
 */
export function createRiskLimits(wanted: Partial<RiskLimits> = {}): RiskLimits {
  const limits: RiskLimits = { ...DEFAULT_RISK_LIMITS, ...wanted };
  for (const name of Object.keys(RISK_LIMITS) as LimitName[]) {
    const value = limits[name];
    const { most } = RISK_LIMITS[name];
    if (typeof value === 'number') refuseUnlessWhole(name, value, { least: 0, most });
    else if (value !== null && typeof value === 'object') refuseWrongParts(name, value);
  }
  return limits;
}

function refuseWrongParts(name: string, parts: object): void {
  for (const [part, value] of Object.entries(parts) as [string, unknown][]) {
    const [least, most] = part === 'losses' ? [1, LARGEST_COUNT] : [0, Number.MAX_SAFE_INTEGER];
    if (typeof value === 'number') refuseUnlessWhole(`${name}.${part}`, value, { least, most });
    if (typeof value === 'bigint' && value < 0n) {
      throw invalidOptions(
        `expected ${name}.${part} to be zero or more, or null for no limit, was ${formatUnits(value)}`,
      );
    }
  }
}

function refuseUnlessWhole(
  name: string,
  value: number,
  { least, most }: { readonly least: number; readonly most: number },
): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw invalidOptions(
    `expected ${name} to be a whole number from ${least} to ${most}, or null for no limit, was ${value}`,
  );
}
