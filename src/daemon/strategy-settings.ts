import { DAY_MS, MINUTE_MS } from '../domain/time-text.ts';
import { z } from 'zod';
import {
  balances,
  duration,
  inventory,
  marketSymbol,
  perQuoteField,
  amountLimit,
  valueLimit,
} from './setting-fields.ts';
import { lockSettings } from './lock-settings.ts';
import { present } from '../domain/errors.ts';
import { TIMEFRAMES } from '../domain/candle.ts';
import type { StrategyDefinition } from '../strategy/definition.ts';
import { universeText } from '../strategy/strategy-port.ts';
import { universeSchema } from '../strategy/universe-rules.ts';
import { formatDuration } from './duration-text.ts';
import {
  createRiskLimits,
  RISK_LIMITS,
  type LimitKind,
  type LimitName,
  type RiskLimits,
} from '../engine/risk-limits.ts';

const whole = (most: number) => z.int().min(0).max(most).nullable().optional();

const FIELDS: Readonly<Record<LimitKind, (most: number) => z.ZodType>> = {
  amounts: amountLimit,
  values: valueLimit,
  count: whole,
  bps: whole,
  time: () => duration({ leastMs: 0 }).nullable().optional(),
  cooldown: (most) =>
    z
      .strictObject({
        losses: z.int().min(1).max(most).describe('Losing round trips in a row.'),
        pause: duration().describe('How long no new risk is allowed after the last of them.'),
      })
      .transform(({ losses, pause }) => ({ losses, pauseMs: pause }))
      .nullable()
      .optional(),
  flag: () => z.boolean().optional(),
};

/** Configured form of a limit. A limit by currency may have some currencies only; null means no limit. */
type Given<Value> =
  Value extends Readonly<Record<string, bigint | null>>
    ? { readonly [Currency in keyof Value]?: bigint | null | undefined }
    : Value;

type GivenLimits = { readonly [Name in LimitName]?: Given<RiskLimits[Name]> | undefined };

function settingsOf(isOfBot: boolean) {
  const names = (Object.keys(RISK_LIMITS) as LimitName[]).filter(
    (name) => isOfBot || !RISK_LIMITS[name].isOfBot,
  );
  // Durations have their unit in the value, and so not in the name.
  const settings = new Map(names.map((name) => [name.replace(/Ms$/, ''), name]));
  const fields = [...settings].map(([setting, name]) => {
    const { kind, about, most, usual } = RISK_LIMITS[name];
    const write = kind === 'time' ? formatDuration : String;
    const usually = typeof usual === 'number' ? ` By default ${write(usual)}.` : '';
    return [setting, FIELDS[kind](most).describe(`${about}${usually}`)] as const;
  });
  return z
    .strictObject(Object.fromEntries(fields))
    .transform((given): GivenLimits =>
      Object.fromEntries(Object.entries(given).map(([name, value]) => [settings.get(name), value])),
    )
    .prefault({});
}

/**
 * Limits of one strategy, which override those of the bot. A limit of null is not checked; one left out is
 * the bot's.
 */
const strategyRiskSettings = settingsOf(false);

/** Limits that hold for each strategy, and limits for all strategies together. */
export const riskSettings = settingsOf(true);

/**
 * Merges the limits of one strategy: its own override the bot's, which override the defaults. Limits by
 * currency are merged for each currency, so that a limit in rial does not remove the bot's limit in tether.
 */
export function mergeRisk(bot: GivenLimits, strategy: GivenLimits): RiskLimits {
  const merged = (Object.keys(RISK_LIMITS) as LimitName[]).map((name) => {
    const { kind, usual } = RISK_LIMITS[name];
    return [name, laidOver(kind, laidOver(kind, usual, bot[name]), strategy[name])];
  });
  return createRiskLimits(Object.fromEntries(merged) as RiskLimits);
}

function laidOver(kind: LimitKind, under: unknown, over: unknown): unknown {
  if (over === undefined || over === null || (kind !== 'amounts' && kind !== 'values'))
    return over === undefined ? under : over;
  const none = kind === 'values' ? { rls: null, usdt: null } : {};
  const given = Object.entries(over).filter(([, value]) => value !== undefined);
  const laid = Object.entries({ ...none, ...(under as object | null), ...Object.fromEntries(given) });
  return Object.fromEntries(kind === 'values' ? laid : laid.filter(([, value]) => value !== null));
}

/**
 * Place of a strategy: the path of its file, a name to find in the strategy folders, or the strategy itself.
 */
type PluginPlace =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'definition'; readonly definition: StrategyDefinition };

/** Returns the name of a plugin: its path, its name, or that of its definition. */
export function pluginText(plugin: PluginPlace): string {
  if (plugin.kind === 'file') return plugin.path;
  return plugin.kind === 'name' ? plugin.name : plugin.definition.name;
}

/** Matches a strategy's name: it is part of every clientOrderId, so it is short and plain. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const USUAL_APPROVAL = { above: {}, expiresAfter: 10 * MINUTE_MS, slippageBps: 50 };

/** Settings for entries that wait for a person; null: none do. */
const approvalSettings = z
  .union([
    z.literal('entries'),
    z.strictObject({
      above: perQuoteField()
        .prefault({})
        .describe(
          'Values by quote currency up to which an entry needs no approval. In a currency that is left out, every entry needs one.',
        ),
      expiresAfter: duration({ leastMs: 1_000, mostMs: DAY_MS })
        .prefault('10m')
        .describe('How long an entry waits. Nobody approves it: it is dropped.'),
      slippageBps: z
        .int()
        .min(0)
        .max(10_000)
        .prefault(50)
        .describe(
          'How far the best price may have risen since an entry without a price was made, in hundredths of a percent. Beyond it the entry is not carried out.',
        ),
    }),
  ])
  .optional()
  .transform((given) => {
    if (given === undefined) return null;
    const { above, expiresAfter, slippageBps } = given === 'entries' ? USUAL_APPROVAL : given;
    return { above: definedOnly(above), expiresAfterMs: expiresAfter, slippageBps };
  });

/** Maximum number of strategies in one bot, since each has its own runner, state and poll feeds. */
export const MOST_STRATEGIES = 100;

/** Settings of a second version of a strategy, which trades on paper beside it. */
const shadowSettings = z
  .strictObject({
    name: z
      .string()
      .regex(NAME, 'expected lower-case letters, digits and single hyphens between them, such as grid-next')
      .optional()
      .describe('Its name; that of the strategy with -2 after it by default.'),
    plugin: z.string().min(1).optional().describe('Its strategy, named as above; the same one by default.'),
    params: z
      .record(z.string(), z.unknown())
      .prefault({})
      .describe('Parameters that differ from those of the strategy.'),
    balances: balances()
      .optional()
      .describe('Its paper money at the beginning, by currency; paper.balances by default.'),
  })
  .nullable()
  .prefault(null);

export const strategySettings = z
  .strictObject({
    plugin: z
      .string({ error: 'expected the name of a strategy such as ma-cross, or the path of its file' })
      .min(1, 'expected a name or a path, was empty')
      .describe('The name of a strategy, bundled or in one of strategiesFolders, or the path of its file.'),
    name: z
      .string()
      .regex(NAME, 'expected lower-case letters, digits and single hyphens between them, such as ma-cross-2')
      .optional()
      .describe(
        "Its name in logs, the mirror and order ids; the plugin's name by default. Needed if one plugin runs twice.",
      ),
    market: marketSymbol()
      .optional()
      .describe('The market it trades, such as BTCIRT or btc-usdt. Either this or universe.'),
    universe: universeSchema
      .optional()
      .describe(
        'Markets that are chosen by a rule, in place of market: a strategy of one market runs in each of them. docs/universe.md explains it.',
      ),
    timeframe: z
      .enum(TIMEFRAMES)
      .prefault('1m')
      .describe('Timeframe of its candles, unless its params say otherwise.'),
    params: z
      .record(z.string(), z.unknown())
      .prefault({})
      .describe(
        "Parameters of the plugin; its own schema checks them. Missing ones have the plugin's default.",
      ),
    capital: perQuoteField()
      .prefault({})
      .describe(
        "Capital of the strategy by quote currency: for equity and shares, and the most that it spends; the account's balance by default.",
      ),
    inventory: inventory()
      .prefault({})
      .describe(
        'Coins of the account that the strategy is given to sell, such as btc: 0.5. It sells these and what it has bought, and no others. They must be in the wallet at the start.',
      ),
    onError: z
      .enum(['stop', 'pause', 'cancel'])
      .prefault('stop')
      .describe(
        'What happens when a handler throws. stop: the strategy stops. pause: it goes on after a pause. cancel: it stops, and its orders are canceled.',
      ),
    pause: duration({ leastMs: 1_000 }).prefault('5m').describe('How long a pause after an error lasts.'),
    optional: z
      .boolean()
      .prefault(false)
      .describe(
        'Whether a live or paper bot starts without it where it can not run. It then says so as an error and as an alert.',
      ),
    risk: strategyRiskSettings.describe('Limits of this strategy; they override those under risk.'),
    locks: lockSettings.describe('Rules of locks that count and lock this strategy alone.'),
    shadow: shadowSettings.describe(
      'Another version, or other params, that decide on the same market data beside this strategy, with orders on paper and no request of their own. docs/shadow.md explains it.',
    ),
    approval: approvalSettings.describe(
      'Whether its entries wait until a person approves them: entries, or with an amount and a time. Exits never wait. docs/approvals.md explains it.',
    ),
  })
  .superRefine(({ market, universe }, context) => {
    const problem = placeProblem(market !== undefined, universe !== undefined);
    if (problem !== null) context.addIssue({ code: 'custom', ...problem });
  })
  .transform(({ plugin, pause, capital, market, universe, shadow, ...rest }) => {
    const name = rest.name ?? baseName(plugin);
    return {
      ...rest,
      shadow: shadow && {
        ...shadow,
        name: shadow.name ?? defaultShadowName(name),
        plugin: shadow.plugin === undefined ? null : placeOf(shadow.plugin),
      },
      market: market ?? null,
      universe: universe ?? null,
      name,
      plugin: placeOf(plugin),
      pauseMs: pause,
      capital: definedOnly(capital),
    };
  });

export type StrategySettings = z.output<typeof strategySettings>;

/** Describes the markets of a strategy, for people: its own, or those chosen for it. */
export function tradedPlace({ market, universe }: Pick<StrategySettings, 'market' | 'universe'>): string {
  return market ?? universeText(present(universe, 'a market or a universe'));
}

function placeProblem(
  hasMarket: boolean,
  hasUniverse: boolean,
): { readonly path: string[]; readonly message: string } | null {
  if (hasMarket && hasUniverse)
    return { path: ['universe'], message: 'expected market or universe, were both: leave one of them out' };
  if (hasMarket || hasUniverse) return null;
  const message =
    'expected market: BTCIRT, or universe: { quote: rls, rankBy: volume24h, take: 10 }, was neither';
  return { path: ['market'], message };
}

/** Returns the name of a strategy's shadow if it has none of its own: short, as it is part of order ids. */
export const defaultShadowName = (strategy: string): string => `${strategy}-2`;

function placeOf(plugin: string): PluginPlace {
  return isPath(plugin) ? { kind: 'file', path: plugin } : { kind: 'name', name: plugin };
}

function isPath(plugin: string): boolean {
  return /[/\\]/.test(plugin) || /\.m?[tj]s$/.test(plugin);
}

/** Returns the file's name without its ending. */
export function baseName(plugin: string): string {
  return (plugin.split(/[/\\]/).at(-1) ?? plugin).replace(/\.m?[tj]s$/, '');
}

function definedOnly<T extends object>(
  value: T,
): { readonly [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };
}

/** Limits of a strategy in a thread of its own. */
export const isolationSettings = z
  .strictObject({
    handlerWithin: duration({ leastMs: 10, mostMs: MINUTE_MS })
      .prefault('1s')
      .describe(
        'How long one call of a handler may take. The whole bot waits for it. Then the thread is ended.',
      ),
    loadWithin: duration({ leastMs: 1_000, mostMs: 10 * MINUTE_MS })
      .prefault('30s')
      .describe('How long a file may take to be loaded and set up.'),
    memoryMb: z
      .int()
      .min(16)
      .max(16_384)
      .prefault(256)
      .describe('Heap of one strategy in MB. Buffers outside of the heap are not counted.'),
    restartsAnHour: z
      .int()
      .min(0)
      .max(60)
      .prefault(5)
      .describe(
        'How often a thread that ended starts again within an hour, where onError is pause. Beyond it the strategy is stopped.',
      ),
  })
  .transform(({ handlerWithin, loadWithin, ...rest }) => ({
    ...rest,
    handlerMs: handlerWithin,
    loadMs: loadWithin,
  }))
  .prefault({});
