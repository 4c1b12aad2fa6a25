import type { Distance, ExitWish } from '../../strategy/intents.ts';
import { Dice } from '../dice.ts';
import {
  amountOf,
  FAR,
  NEAR,
  priceAway,
  sharesAway,
  worthOf,
  type Action,
  type WeightedAction,
  type Situation,
  MOST_SHARE,
  sizeOf,
  PORTFOLIO_ACTIONS,
  EXIT_ACTIONS,
  again,
  limit,
  ORDER_ACTIONS,
} from './order-actions.ts';
import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { createRandom } from '../../domain/random.ts';
import type { Side } from '../../domain/order.ts';
import { defineStrategy } from '../../strategy/definition.ts';

/** Draws a distance from the price paid, in one of the four forms. */
const distanceOf = ({ dice, bid }: Situation, worth: number): Distance => {
  const share = dice.logUniform(NEAR * 4, FAR);
  return (
    dice.pick<Distance>([
      { percent: (share * 100).toFixed(6) },
      { distance: bid.times(share).toFixed(10) },
      { money: (worth * share).toFixed(10) },
    ]) ?? { percent: 1 }
  );
};

/** Draws a trail that begins after a gain, or a target that falls. It has its own dice. */
const laterOf = ({ ctx }: Situation): { readonly after?: Distance; readonly falls?: ExitWish } => {
  const dice = Dice.of(ctx.nowMs % 0x1_0000_0000, 'later exits');
  const percent = dice.logUniform(NEAR * 4, FAR) * 100;
  const afterMs = dice.integer(10_000, 1_200_000);
  return {
    ...(dice.happens(0.3) ? { after: { percent: percent.toFixed(6) } } : {}),
    ...(dice.happens(0.3)
      ? {
          falls: {
            takeProfit: { percent: (percent * 2).toFixed(6) },
            laterTargets: [
              { afterMs, percent: percent.toFixed(6) },
              { afterMs: afterMs * 2, percent: 0 },
            ],
          },
        }
      : {}),
  };
};

/** Draws exits for a position of some value: some of the kinds, at least one. */
const exitOf = (situation: Situation, worth: number): ExitWish => {
  const { dice } = situation;
  const isTrailing = dice.happens(0.4);
  const { after, falls } = laterOf(situation);
  return {
    stopLoss: distanceOf(situation, worth),
    ...(dice.happens(0.6) ? { takeProfit: distanceOf(situation, worth) } : {}),
    ...(isTrailing
      ? {
          trail: {
            by: distanceOf(situation, worth),
            minStep: dice.between(0, 0.1).toFixed(6),
            on: 'poll',
            ...(after === undefined ? {} : { after }),
          },
        }
      : {}),
    ...(isTrailing && dice.happens(0.5) ? { breakEvenAt: distanceOf(situation, worth) } : {}),
    ...(dice.happens(0.3) ? { timeStopMs: dice.integer(30_000, 3_600_000) } : {}),
    ...(dice.happens(0.1) ? { whenCanceled: 'leave' } : {}),
    ...falls,
  };
};

const bracketed: Action = (situation) => {
  const { ctx, dice } = situation;
  const worth = worthOf(situation) * dice.between(1, 4);
  const entry = {
    value: worth,
    ...(dice.happens(0.7) ? { price: priceAway({ ...situation, side: 'buy' }, sharesAway(dice)) } : {}),
    ...(dice.happens(0.5) ? { expireAfterMs: dice.integer(1_000, 600_000) } : {}),
  };
  ctx.bracket({ entry, ...exitOf(situation, worth) });
};

const guarded: Action = (situation) => {
  const { ctx, dice } = situation;
  const amount = amountOf(situation);
  ctx.protect({
    ...(dice.happens(0.7) ? { amount } : {}),
    averagePrice: situation.bid.toFixed(10),
    ...exitOf(situation, worthOf(situation)),
  });
};

const BRACKET_ACTIONS: readonly WeightedAction[] = [
  [bracketed, 5],
  [guarded, 1],
];

const hold: Action = (situation) => {
  const { ctx, dice } = situation;
  const requests = [
    { equityShare: dice.between(0, MOST_SHARE).toFixed(6) },
    { value: worthOf(situation) },
    { position: amountOf(situation) },
  ] as const;
  const request = dice.pick(requests) ?? requests[0];
  ctx.target(dice.happens(0.5) ? request : { ...request, price: priceAway(situation, NEAR) });
};

const quote: Action = (situation) => {
  const { ctx, dice } = situation;
  const wanted = (['buy', 'sell'] as const).flatMap((side) =>
    Array.from({ length: dice.integer(0, 2) }, () => ({
      side,
      price: priceAway({ ...situation, side }, dice.logUniform(NEAR, FAR)),
      ...sizeOf(situation),
    })),
  );
  ctx.quotes(wanted);
};

const inSlices: Action = (situation) => {
  const { ctx, dice, side } = situation;
  const slices = dice.integer(2, 5);
  const amount = new Decimal(amountOf(situation)).times(slices).toFixed(10);
  // Slices that follow each other within the exchange's ten seconds, too.
  const overMs = dice.integer(dice.happens(0.3) ? 5_000 : 30_000, dice.happens(0.3) ? 30_000 : 900_000);
  const price = dice.happens(0.5) ? {} : { price: priceAway(situation, NEAR) };
  ctx.twap(side, { amount, overMs, slices, ...price });
};

const hidden: Action = (situation) => {
  const visible = amountOf(situation);
  const amount = new Decimal(visible).times(situation.dice.integer(2, 4)).toFixed(10);
  const price = priceAway(situation, situation.dice.happens(0.5) ? -NEAR : NEAR);
  situation.ctx.iceberg(situation.side, { amount, visible, price });
};

const withVolume: Action = (situation) => {
  const { ctx, dice, side } = situation;
  const profile = Array.from({ length: dice.integer(2, 5) }, () => dice.integer(0, 9) + 1);
  const amount = new Decimal(amountOf(situation)).times(profile.length).toFixed(10);
  const overMs = dice.integer(30_000, dice.happens(0.5) ? 120_000 : 900_000);
  const price = dice.happens(0.4) ? { price: priceAway(situation, NEAR) } : {};
  ctx.vwap(side, { amount, overMs, profile, ...price });
};

const laddered: Action = (situation) => {
  const { ctx, dice, side } = situation;
  const orders = dice.integer(2, 5);
  const amount = new Decimal(amountOf(situation)).times(orders).toFixed(10);
  ctx.ladder(side, {
    amount,
    from: priceAway(situation, dice.happens(0.2) ? -NEAR : NEAR),
    to: priceAway(situation, FAR),
    orders,
    ...(dice.happens(0.3) ? { scale: 'linear' } : {}),
    ...(dice.happens(0.7) ? { expireAfterMs: dice.integer(5_000, 900_000) } : {}),
  });
};

const pegged: Action = (situation) => {
  const { ctx, dice, side } = situation;
  ctx.peg(side, {
    amount: new Decimal(amountOf(situation)).times(dice.integer(1, 3)).toFixed(10),
    bound: priceAway(situation, dice.happens(0.5) ? NEAR : -FAR),
    ...(dice.happens(0.3) ? { offset: dice.integer(1, 20) } : {}),
    ...(dice.happens(0.3) ? { minStep: dice.between(0, 0.1).toFixed(6) } : {}),
    everyMs: dice.integer(1_000, 30_000),
    share: '0.02',
    ...(dice.happens(0.8) ? { expireAfterMs: dice.integer(20_000, 900_000) } : {}),
  });
};

const averaged: Action = (situation) => {
  const { ctx, dice } = situation;
  ctx.dca({
    value: worthOf(situation),
    everyMs: dice.integer(60_000, 900_000),
    times: dice.integer(1, 8),
    ...(dice.happens(0.4) ? { steps: [{ belowPercent: dice.between(0.01, 1).toFixed(6), factor: 2 }] } : {}),
  });
};

const ALGORITHM_ACTIONS: readonly WeightedAction[] = [
  [hold, 1],
  [quote, 2],
  [inSlices, 1],
  [hidden, 1],
  [withVolume, 1],
  [laddered, 1],
  [pegged, 2],
  [averaged, 1],
];

/** All kinds of intents, repeated by weight; those that end the work of others are rare. */
const ACTIONS: readonly Action[] = [
  ...ORDER_ACTIONS,
  ...ALGORITHM_ACTIONS,
  ...BRACKET_ACTIONS,
  ...PORTFOLIO_ACTIONS,
].flatMap(([action, weight]) => Array.from({ length: weight }, () => action));

/** Maximum number of trailing stops at once in each market; more are refused, and are drawn too. */
const MOST_TRAILS = 6;
const TRAIL_EVERY_MS = 10_000;

/** Probability that it also exits a position, or uses a price outside the exchange's band. */
const EXITS = 0.12;

const PARAMS = z.strictObject({
  seed: z.int(),
  /** Probability that it requests something when a book comes. */
  activity: z.number().positive().max(1),
  everyMs: z.int().positive(),
  /** Markets that the bot follows. */
  markets: z.array(z.string()).default(['BTCIRT', 'BTCUSDT', 'USDTIRT']),
});

/** A strategy that makes any intent at any time; its random state is stored, so a restart continues it. */
export const WORKLOAD = defineStrategy({
  name: 'chaos',
  params: PARAMS,
  /** Null before the seed of its parameters was used. */
  state: z.strictObject({ random: z.number().nullable().default(null) }),
  data: ({ market, params }) => ({ book: market.book({ everyMs: params.everyMs, maxAgeMs: 120_000 }) }),
  trailing: { most: MOST_TRAILS, everyMs: TRAIL_EVERY_MS },
  on: {
    book(ctx, { bestBid, bestAsk }) {
      const { state, params, market, orders } = ctx;
      const random = createRandom(state.random ?? params.seed);
      const dice = new Dice(Math.floor(random.next() * 0x1_0000_0000));
      ctx.setState({ random: random.state });
      ctx.plot('spread', bestBid === null || bestAsk === null ? null : bestAsk.price - bestBid.price, {
        pane: 'spread',
      });
      if (bestBid === null || bestAsk === null || !dice.happens(params.activity)) return;
      const side: Side = dice.happens(0.5) ? 'buy' : 'sell';
      const prices = { bid: new Decimal(bestBid.exact.price), ask: new Decimal(bestAsk.exact.price) };
      const situation = { ctx, dice, market, markets: params.markets, side, ...prices, orders };
      if (orders.some(({ state }) => state === 'unknown')) again(situation);
      const actions = Array.from({ length: dice.happens(0.1) ? 3 : 1 }, () => dice.pick(ACTIONS) ?? limit);
      for (const action of actions) action(situation);
      const exits = Dice.of(random.state, 'exits');
      if (exits.happens(EXITS)) exits.pick(EXIT_ACTIONS)?.({ ...situation, dice: exits });
    },
  },
});
