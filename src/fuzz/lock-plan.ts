import { HOUR_MS, MINUTE_MS } from '../domain/time-text.ts';
import { WEEKDAYS } from '../domain/calendar-day.ts';
import type { LockCommand } from '../engine/engine-event.ts';
import type { LockRule } from '../engine/lock.ts';
import type { TradingCalendar } from '../engine/trading-calendar.ts';
import { Dice } from './dice.ts';

/** Shares of the seeds with lock rules, and with an operator who locks by hand. */
const RULED_SHARE = 0.6;
const HANDED_SHARE = 0.6;

/** An operator who locks often does so every few minutes. */
const SHORTEST_MEAN_MS = 10 * MINUTE_MS;

/** Share of the manual locks that are removed before their end. */
const UNDONE = 0.3;

/** Times at which an operator locks or unlocks. */
interface LockByHand {
  readonly atMs: number;
  /** The end of a lock, from then on; of an unlock nothing. */
  readonly command: (nowMs: number) => LockCommand;
}

/** The rules of a seed: short ones, so that many locks come and go. */
export function lockRulesOf(seed: number): readonly LockRule[] {
  const dice = Dice.of(seed, 'lock rules');
  if (!dice.happens(RULED_SHARE)) return [];
  const shared = (name: string) =>
    ({ name, strategy: null, entries: dice.happens(0.7) ? 'cancel' : 'keep' }) as const;
  const minutes = (least: number, most: number): number =>
    Math.round(dice.logUniform(least, most) * MINUTE_MS);
  const rules: LockRule[] = [
    { ...shared('cooldown'), kind: 'cooldown', forMs: minutes(0.5, 10) },
    {
      ...shared('stops'),
      kind: 'stops',
      stops: dice.integer(1, 2),
      withinMs: minutes(30, 300),
      forMs: minutes(2, 20),
      reach: dice.pick(['market', 'strategy', 'all'] as const) ?? 'market',
    },
    {
      ...shared('low-profit'),
      kind: 'low-profit',
      belowMillionths: 0,
      trades: dice.integer(1, 4),
      withinMs: minutes(30, 300),
      forMs: minutes(2, 20),
      reach: dice.pick(['market', 'strategy', 'all'] as const) ?? 'market',
    },
    {
      ...shared('drawdown'),
      kind: 'drawdown',
      fallMillionths: Math.round(dice.logUniform(20, 2_000)),
      withinMs: minutes(10, 300),
      forMs: minutes(2, 20),
      reach: dice.happens(0.5) ? 'all' : 'strategy',
    },
    { ...shared('hours'), kind: 'hours', calendar: hoursOf(dice), said: 'outside of the hours of the seed' },
  ];
  return dice.some(rules, 0.5);
}

/** Open most of the day, with breaks of some minutes. */
function hoursOf(dice: Dice): TradingCalendar {
  const everyMinutes = dice.integer(40, 180);
  const openMinutes = everyMinutes - dice.integer(2, 20);
  const sessions = Array.from({ length: Math.floor(1_440 / everyMinutes) }, (_, index) => ({
    fromMinute: index * everyMinutes,
    toMinute: index * everyMinutes + openMinutes,
  }));
  return { sessions, weekdays: WEEKDAYS.map(() => true), closed: [] };
}

/** Returns an operator's manual actions in a run. */
export function locksByHandOf(
  seed: number,
  { runMs, markets }: { readonly runMs: number; readonly markets: readonly string[] },
): readonly LockByHand[] {
  const dice = Dice.of(seed, 'locks by hand');
  if (!dice.happens(HANDED_SHARE)) return [];
  const acts: LockByHand[] = [];
  const meanMs = dice.logUniform(SHORTEST_MEAN_MS, HOUR_MS);
  for (let atMs = dice.exponential(meanMs); atMs < runMs; atMs += dice.exponential(meanMs)) {
    const market = dice.happens(0.3) ? null : dice.pick(markets);
    const strategy = dice.happens(0.7) ? null : `chaos-${dice.integer(0, markets.length - 1)}`;
    const name = dice.happens(0.8) ? 'hand' : 'news';
    const forMs = Math.round(dice.logUniform(0.2, 40) * MINUTE_MS);
    const entries = dice.happens(0.7) ? 'cancel' : 'keep';
    const isUnlock = dice.happens(0.25);
    const unlock = { kind: 'unlock', name: null, strategy, market, isAll: dice.happens(0.5) } as const;
    // Mostly a lock runs out by itself.
    if (!isUnlock && dice.happens(UNDONE))
      acts.push({ atMs: Math.round(atMs + forMs * dice.between(0.1, 0.9)), command: () => unlock });
    acts.push({
      atMs: Math.round(atMs),
      command: (nowMs) =>
        isUnlock
          ? unlock
          : {
              kind: 'lock',
              name,
              strategy,
              market,
              reason: 'the fuzzer said so',
              untilMs: nowMs + forMs,
              entries,
            },
    });
  }
  return acts;
}
