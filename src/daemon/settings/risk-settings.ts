import { z } from 'zod';
import { duration, amountLimit, valueLimit } from '../setting-fields.ts';
import { formatDuration } from '../duration-text.ts';
import type { Units } from '../../domain/money.ts';
import {
  DEFAULT_RISK_LIMITS,
  createRiskLimits,
  type AmountLimit,
  type RiskLimits,
  type ValueLimit,
} from '../../engine/risk-limits.ts';

const USUAL = DEFAULT_RISK_LIMITS;

/** Returns the text about a default, for descriptions. */
function usually(value: number | null, write: (value: number) => string = String): string {
  return value === null ? '' : ` By default ${write(value)}.`;
}

const LARGEST_COUNT = 1_000_000;
const count = () => z.int().min(0).max(LARGEST_COUNT).nullable().optional();
const bps = (most: number) => z.int().min(0).max(most).nullable().optional();
const time = () => duration({ leastMs: 0 }).nullable().optional();

const own = {
  maxOrderAmount: amountLimit().describe(
    'The largest amount of one order, by base currency, such as { btc: 0.5 }.',
  ),
  maxOrderValue: valueLimit().describe(
    'The largest value of one order, by quote currency, such as { rls: 500000000 }.',
  ),
  maxPosition: amountLimit().describe(
    'The largest position of a strategy in a coin over all its markets, by base currency, once all live orders of a side have traded.',
  ),
  maxOpenOrdersPerStrategy: count().describe(
    `The most live orders of one strategy.${usually(USUAL.maxOpenOrdersPerStrategy)}`,
  ),
  collarBps: bps(10_000).describe(
    `How much worse a price may be than the best price of the other side, in hundredths of a percent.${usually(USUAL.collarBps)}`,
  ),
  passiveCollarBps: bps(1_000_000).describe(
    'How far an order may wait from the best price of its own side, in hundredths of a percent.',
  ),
  maxBookAge: time().describe(
    `How long ago the bot may have read the book when it plans an order.${usually(USUAL.maxBookAgeMs, formatDuration)}`,
  ),
  maxBookVenueAge: time().describe("How old the book may be by the exchange's own time."),
  maxStandstill: time().describe(
    `How old a book may be by the exchange's own time while trades, statistics or other books are newer, and how long all of the exchange may stand still.${usually(USUAL.maxStandstillMs, formatDuration)}`,
  ),
  maxDailyLoss: valueLimit().describe(
    'The largest loss since 00:00 UTC, as a positive value by quote currency.',
  ),
  maxDrawdown: valueLimit().describe(
    'The largest fall from the highest result, as a positive value by quote currency.',
  ),
  maxOrdersPerMinute: count().describe(
    `The most orders of a strategy within any 60 seconds.${usually(USUAL.maxOrdersPerMinute)}`,
  ),
  maxOrdersPerHour: count().describe('The same within any 60 minutes.'),
  lossCooldown: z
    .strictObject({
      losses: z.int().min(1).max(LARGEST_COUNT).describe('Losing round trips in a row.'),
      pause: duration().describe('How long no new risk is allowed after the last of them.'),
    })
    .transform(({ losses, pause }) => ({ losses, pauseMs: pause }))
    .nullable()
    .optional()
    .describe('A pause after losses in a row.'),
  refuseSelfCrossing: z
    .boolean()
    .optional()
    .describe('Whether to refuse an order that could trade with another order of this bot, of any strategy.'),
};

const inAll = {
  maxMarketExposure: valueLimit().describe(
    'The largest value that all strategies together may hold in one market, by quote currency.',
  ),
  maxTotalExposure: valueLimit().describe('The same in all markets of a quote currency.'),
  maxOpenOrdersInAll: count().describe(
    `The most live orders of the whole bot.${usually(USUAL.maxOpenOrdersInAll)}`,
  ),
};

interface Times {
  readonly maxBookAge?: number | null | undefined;
  readonly maxBookVenueAge?: number | null | undefined;
  readonly maxStandstill?: number | null | undefined;
}

/** Times under the names that say their unit. */
function withUnits<Given extends Times>({ maxBookAge, maxBookVenueAge, maxStandstill, ...rest }: Given) {
  return {
    ...rest,
    maxBookAgeMs: maxBookAge,
    maxBookVenueAgeMs: maxBookVenueAge,
    maxStandstillMs: maxStandstill,
  };
}

/**
 * Limits of one strategy, laid over those of the bot. A limit that is null is not checked; one left out is
 * the bot's.
 */
export const strategyRiskSettings = z.strictObject(own).transform(withUnits).prefault({});

/** Limits that hold for every strategy, and those of all strategies together. */
export const riskSettings = z
  .strictObject({ ...own, ...inAll })
  .transform(withUnits)
  .prefault({});

type StrategyRiskSettings = z.output<typeof strategyRiskSettings>;
type RiskSettings = z.output<typeof riskSettings>;

type GivenAmounts = Readonly<Record<string, Units | null>> | null | undefined;
type GivenValues =
  | { readonly rls?: Units | null | undefined; readonly usdt?: Units | null | undefined }
  | null
  | undefined;

/**
 * The limits of one strategy: its own over the bot's over the defaults, and those that are per currency
 * currency by currency, so that a limit in rial does not lift the bot's limit in tether.
 */
export function mergeRisk(bot: RiskSettings, strategy: StrategyRiskSettings): RiskLimits {
  const layers: readonly (RiskSettings | StrategyRiskSettings)[] = [bot, strategy];
  const plain = Object.assign({}, ...layers.map(given)) as Partial<RiskLimits>;
  const amounts = (name: 'maxOrderAmount' | 'maxPosition'): AmountLimit | null =>
    layers.reduce<AmountLimit | null>(
      (under, layer) => amountsOver(under, layer[name]),
      DEFAULT_RISK_LIMITS[name],
    );
  const values = (name: 'maxOrderValue' | 'maxDailyLoss' | 'maxDrawdown'): ValueLimit | null =>
    layers.reduce<ValueLimit | null>(
      (under, layer) => valuesOver(under, layer[name]),
      DEFAULT_RISK_LIMITS[name],
    );
  return createRiskLimits({
    ...plain,
    maxOrderAmount: amounts('maxOrderAmount'),
    maxPosition: amounts('maxPosition'),
    maxOrderValue: values('maxOrderValue'),
    maxDailyLoss: values('maxDailyLoss'),
    maxDrawdown: values('maxDrawdown'),
    maxMarketExposure: valuesOver(DEFAULT_RISK_LIMITS.maxMarketExposure, bot.maxMarketExposure),
    maxTotalExposure: valuesOver(DEFAULT_RISK_LIMITS.maxTotalExposure, bot.maxTotalExposure),
  });
}

function given(layer: object): object {
  return Object.fromEntries(Object.entries(layer).filter(([, value]) => value !== undefined));
}

function amountsOver(under: AmountLimit | null, over: GivenAmounts): AmountLimit | null {
  if (over === undefined) return under;
  if (over === null) return null;
  const laid = Object.entries<Units | null>({ ...under, ...over });
  return Object.fromEntries(laid.filter((entry): entry is [string, Units] => entry[1] !== null));
}

function valuesOver(under: ValueLimit | null, over: GivenValues): ValueLimit | null {
  if (over === undefined) return under;
  if (over === null) return null;
  const { rls = under?.rls ?? null, usdt = under?.usdt ?? null } = over;
  return { rls, usdt };
}
