import { z } from 'zod';
import { duration, amountLimit, valueLimit } from '../setting-fields.ts';
import { formatDuration } from '../duration-text.ts';
import {
  createRiskLimits,
  RISK_LIMITS,
  type LimitKind,
  type LimitName,
  type RiskLimits,
} from '../../engine/risk-limits.ts';

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

/** A configuration's limit: of some currencies, null for none, or left out. */
type Given<Value> =
  Value extends Readonly<Record<string, bigint | null>>
    ? { readonly [Currency in keyof Value]?: bigint | null | undefined }
    : Value;

type GivenLimits = { readonly [Name in LimitName]?: Given<RiskLimits[Name]> | undefined };

function settingsOf(isOfBot: boolean) {
  const names = (Object.keys(RISK_LIMITS) as LimitName[]).filter(
    (name) => isOfBot || !RISK_LIMITS[name].isOfBot,
  );
  // Lengths of time have their unit in the value, and so not in the name.
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
 * Limits of one strategy, laid over those of the bot. A limit that is null is not checked; one left out is
 * the bot's.
 */
export const strategyRiskSettings = settingsOf(false);

/** Limits that hold for every strategy, and those of all strategies together. */
export const riskSettings = settingsOf(true);

/**
 * The limits of one strategy: its own over the bot's over the defaults, and those that are per currency
 * currency by currency, so that a limit in rial does not lift the bot's limit in tether.
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
