import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { createRandom } from '../../domain/random.ts';
import type { MarketContext } from '../../strategy/context.ts';
import { defineStrategy } from '../../strategy/definition.ts';
import { RANKINGS } from '../../strategy/universe-rules.ts';
import { Dice } from '../dice.ts';
import { FAR, NEAR } from './situation.ts';

/** Of one universe there is one member: of the two rial markets one or the other. */
const QUOTE = 'rls';
const VALUES = { least: 12_000_000, most: 90_000_000 } as const;

/** So many stops follow the price at once; more are refused. */
const MOST_TRAILS = 4;

const PARAMS = z.strictObject({
  seed: z.int(),
  activity: z.number().positive().max(1),
  rankBy: z.enum(RANKINGS),
  refreshMs: z.int(),
  hysteresis: z.number(),
});

/**
 * Trades in whichever market is the member of its universe. What it holds in one that has left, it sells
 * there by and by.
 */
export const ROAMER = defineStrategy({
  name: 'roamer',
  params: PARAMS,
  state: z.strictObject({ random: z.number().nullable().default(null) }),
  trailing: { most: MOST_TRAILS, everyMs: 20_000 },
  data: ({ universe, params: { rankBy, refreshMs, hysteresis } }) => {
    const members = universe({ quote: QUOTE, rankBy, take: 1, refreshMs, hysteresis, reserve: 1 });
    return {
      members,
      prices: members.ticker({ everyMs: 8_000, maxAgeMs: 120_000 }),
      bars: members.candles('1m', { history: 5 }),
    };
  },
  on: {
    prices(ctx, { market, exact }) {
      const random = createRandom(ctx.state.random ?? ctx.params.seed);
      const dice = new Dice(Math.floor(random.next() * 0x1_0000_0000));
      ctx.setState({ random: random.state });
      if (!dice.happens(ctx.params.activity)) return;
      const place = ctx.markets.of(market);
      const prices = { bid: new Decimal(exact.bid), ask: new Decimal(exact.ask) };
      if (!ctx.data.members.isMember(market)) {
        if (dice.happens(0.15)) leave(place, prices, dice);
      } else if (dice.happens(0.5)) buy(place, prices, dice);
      else if (dice.happens(0.25)) leave(place, prices, dice);
      else bracketed(place, dice);
      if (dice.happens(0.05)) ctx.cancelAll(market);
    },
  },
});

interface Prices {
  readonly bid: Decimal;
  readonly ask: Decimal;
}

/** Orders that mostly fill, and some that rest. */
function buy(place: MarketContext, { bid, ask }: Prices, dice: Dice): void {
  const value = worthOf(dice);
  const price = dice.happens(0.7) ? ask.times(1 + NEAR * 4) : bid.times(1 - dice.logUniform(NEAR, FAR));
  place.buy({ value, price: price.toFixed(10), expireAfterMs: dice.integer(10_000, 600_000) });
}

function bracketed(place: MarketContext, dice: Dice): void {
  const percent = (): string => (dice.logUniform(NEAR * 10, FAR) * 100).toFixed(6);
  place.bracket({
    entry: { value: worthOf(dice) * 2 },
    stopLoss: { percent: percent() },
    takeProfit: { percent: percent() },
  });
}

function leave(place: MarketContext, { bid }: Prices, dice: Dice): void {
  if (place.position <= 0 || !place.isTradable(place.position, bid.toNumber())) return;
  place.sell({ amount: place.exact.position, ...(dice.happens(0.5) ? {} : { price: bid.toFixed(10) }) });
}

function worthOf(dice: Dice): number {
  return Math.round(dice.logUniform(VALUES.least, VALUES.most));
}
