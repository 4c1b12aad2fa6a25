import { z } from 'zod';
import { WEEKDAYS } from '../domain/time-text.ts';
import { sentence } from '../language/sentence.ts';
import { BY_HAND, ENTRY_POLICIES, type LockRule } from '../engine/lock.ts';
import {
  closedTime,
  MOST_CLOSED,
  MOST_SESSIONS,
  session,
  sessionText,
  weekdays,
  duration,
} from './setting-fields.ts';

/** Maximum number of rules in one list: each is checked at every exit. */
const MOST_RULES = 50;

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Shortest time in which trades are counted, and shortest lock, in ms. */
const LEAST_MS = 1_000;

const name = () =>
  z
    .string()
    .regex(NAME, 'expected lower-case letters, digits and single hyphens between them, such as night')
    .max(40)
    .refine((text) => text !== BY_HAND, `expected another name: "${BY_HAND}" is for locks by hand`)
    .optional()
    .describe('What refusals and commands call it; by default its kind.');
const entries = () =>
  z
    .enum(ENTRY_POLICIES)
    .prefault('cancel')
    .describe(
      'What happens to resting orders that add risk when the lock begins: cancel or keep. Exits always stay.',
    );
const forTime = () => duration({ leastMs: LEAST_MS }).describe('How long the lock holds.');
const within = () => duration({ leastMs: LEAST_MS }).describe('The time that is looked back on.');
const reach = () =>
  z
    .enum(['market', 'strategy', 'all'])
    .prefault('market')
    .describe('What is counted together and locked: the market, the strategy in all markets, or all.');

/** Field for a percentage with at most four decimals, read to millionths. */
const percent = (least: number, most: number) =>
  z
    .number()
    .min(least)
    .max(most)
    .transform((value, context) => {
      const millionths = Math.round(value * 10_000);
      if (Math.abs(millionths - value * 10_000) < 1e-6) return millionths;
      context.addIssue({ code: 'custom', message: `expected at most four decimals, was ${value}` });
      return z.NEVER;
    });

const shared = { name: name(), entries: entries() };

const cooldown = z.strictObject({
  kind: z.literal('cooldown').describe('After the end of a position its market rests.'),
  ...shared,
  for: forTime(),
});
const stops = z.strictObject({
  kind: z.literal('stops').describe('So many stop-outs at a loss within a time.'),
  ...shared,
  stops: z.int().min(1).max(1_000).describe('How many stop-outs bring the lock.'),
  within: within(),
  for: forTime(),
  reach: reach(),
});
const lowProfit = z.strictObject({
  kind: z.literal('low-profit').describe('Trades that ended within a time earned too little.'),
  ...shared,
  below: percent(-100, 1_000)
    .prefault(0)
    .describe('In percent of what the trades cost, after fees. Less than this brings the lock.'),
  trades: z.int().min(1).max(10_000).prefault(1).describe('Fewer ended trades bring no lock.'),
  within: within(),
  for: forTime(),
  reach: reach(),
});
const drawdown = z.strictObject({
  kind: z.literal('drawdown').describe('Equity with open positions fell too far from its highest.'),
  ...shared,
  percent: percent(0.0001, 100).describe('The fall that brings the lock, in percent of the highest.'),
  within: within(),
  for: forTime(),
  reach: z
    .enum(['strategy', 'all'])
    .prefault('all')
    .describe('The equity of each strategy by itself, or of all together.'),
});
const hours = z.strictObject({
  kind: z.literal('hours').describe('No new risk outside of the trading hours, in Tehran.'),
  ...shared,
  open: z
    .array(session())
    .min(1)
    .max(MOST_SESSIONS)
    .describe('Trading hours such as "09:00-23:00". "22:00-02:00" goes on past midnight.'),
  days: weekdays().describe(`Days on which they begin: ${WEEKDAYS.join(', ')}. All by default.`),
  holidays: z
    .array(closedTime())
    .max(MOST_CLOSED)
    .prefault([])
    .describe('Closed dates, as under closed of the kind dates.'),
});
const dates = z.strictObject({
  kind: z.literal('dates').describe('No new risk on dates, in Tehran.'),
  ...shared,
  closed: z
    .array(closedTime())
    .min(1)
    .max(MOST_CLOSED)
    .describe(
      'Dates such as "1405/01/13", "2026-04-02" or "1405/01/01..1405/01/05", or times such as "1405/01/13 12:00..1405/01/13 18:00".',
    ),
});

const rule = z.discriminatedUnion('kind', [cooldown, stops, lowProfit, drawdown, hours, dates]);

type GivenRule = z.output<typeof rule>;

/** A rule before its strategy is known. */
type ConfiguredLock = LockRule & { readonly strategy: null };

/** Rules for locks of the bot, or of one strategy. */
export const lockSettings = z
  .array(rule)
  .max(MOST_RULES)
  .prefault([])
  .transform((rules, context): readonly ConfiguredLock[] => {
    const seen = new Map<string, number>();
    return rules.map((given, index) => {
      const before = given.name === undefined ? undefined : seen.get(given.name);
      if (before !== undefined) {
        const message = `expected a name that no other lock of the list has, locks[${before}] is ${given.name} too`;
        context.addIssue({ code: 'custom', message, path: [index, 'name'] });
      }
      const called = given.name ?? freeName(given.kind, seen);
      seen.set(called, index);
      return ruleOf(given, called);
    });
  });

/** Returns the next free name of a kind: `cooldown`, and `cooldown-2` for the second. */
function freeName(kind: string, used: ReadonlyMap<string, number>): string {
  for (let number = 1; ; number += 1) {
    const wanted = number === 1 ? kind : `${kind}-${number}`;
    if (!used.has(wanted)) return wanted;
  }
}

function ruleOf(given: GivenRule, called: string): ConfiguredLock {
  const shared = { name: called, strategy: null, entries: given.entries };
  switch (given.kind) {
    case 'cooldown':
      return { ...shared, kind: 'cooldown', forMs: given.for };
    case 'stops':
      return { ...shared, ...timesOf(given), kind: 'stops', stops: given.stops, reach: given.reach };
    case 'low-profit': {
      const { trades, reach, below } = given;
      return { ...shared, ...timesOf(given), kind: 'low-profit', belowMillionths: below, trades, reach };
    }
    case 'drawdown': {
      const { percent: fall, reach } = given;
      return { ...shared, ...timesOf(given), kind: 'drawdown', fallMillionths: fall, reach };
    }
    case 'hours': {
      const { open, days, holidays } = given;
      const calendar = {
        sessions: open,
        weekdays: WEEKDAYS.map((day) => days.includes(day)),
        closed: holidays,
      };
      const sentenceOfHours = sentence('lock-hours', {
        sessions: open.map(sessionText).join(', '),
        days: days.join(', '),
      });
      return { ...shared, kind: 'hours', calendar, text: sentenceOfHours };
    }
    case 'dates': {
      const calendar = {
        sessions: [{ fromMinute: 0, toMinute: 1_440 }],
        weekdays: WEEKDAYS.map(() => true),
        closed: given.closed,
      };
      return { ...shared, kind: 'dates', calendar, text: sentence('lock-date') };
    }
  }
}

function timesOf(given: { readonly within: number; readonly for: number }): {
  readonly withinMs: number;
  readonly forMs: number;
} {
  return { withinMs: given.within, forMs: given.for };
}
