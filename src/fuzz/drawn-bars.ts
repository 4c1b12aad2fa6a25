import { z } from 'zod';
import type { BarAnchors } from '../domain/bar-grid.ts';
import { defineStrategy } from '../strategy/definition.ts';
import { Dice } from './dice.ts';

/** Share of the seeds with a strategy that reads long bars. */
const WATCHED_SHARE = 0.3;

/** Zones whose hours or days are not those of UTC, and UTC. */
const ZONES = ['Asia/Tehran', 'Asia/Tehran', 'Asia/Kolkata', 'America/New_York', 'UTC'] as const;

/** Hours that are off those of UTC show within a run; days and bars of 4 h seldom end in one. */
const SHORTEST = ['1h', '1h', '1h', '4h'] as const;

/** Anchors of the bars of a seed's exchange; `isWatched`: true if somebody reads them. */
interface DrawnBars {
  readonly anchors: BarAnchors;
  readonly isWatched: boolean;
}

/** Of a seed it is the same in every life. */
export function drawnBarsOf(seed: number): DrawnBars {
  const dice = Dice.of(seed, 'bars');
  const isWatched = dice.happens(WATCHED_SHARE);
  const zone = dice.pick(ZONES) ?? 'UTC';
  const from = dice.pick(SHORTEST) ?? '4h';
  return { anchors: { [from]: { zone, offsetMs: 0 } }, isWatched };
}

/** Looks at bars of an hour and of four, and does nothing: what the bot keeps of them is checked. */
export const BAR_WATCHER = defineStrategy({
  name: 'bar-watcher',
  params: z.strictObject({}),
  state: z.strictObject({ bars: z.number().default(0) }),
  data: ({ market }) => ({
    hours: market.candles('1h', { history: 2 }),
    long: market.candles('4h', { history: 2 }),
  }),
  on: {
    hours(ctx) {
      ctx.setState({ bars: ctx.state.bars + 1 });
    },
  },
});
