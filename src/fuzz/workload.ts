import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { createRandom } from '../domain/random.ts';
import type { Side } from '../domain/order.ts';
import type { StrategyContext } from '../strategy/context.ts';
import { defineStrategy } from '../strategy/definition.ts';
import type { Distance, ExitWish, OrderWish, Size } from '../strategy/intents.ts';
import type { Order } from '../strategy/own-order.ts';
import { Dice } from './dice.ts';

/** Worth of one order in least values of its market: from clearly enough to a few levels of the book. */
const LEAST_WORTH = 4;
const MOST_WORTH = 40;
const LEAST_VALUES = { rls: 3_000_000, usdt: 11 } as const;

/** How far prices lie from the best ones, in shares: quotes that fill often, and some that rest. */
const NEAR = 0.000_2;
const FAR = 0.01;

/** Most of the equity that one order or holding asks for. */
const MOST_SHARE = 0.05;

/** What one draw decides with. */
interface Situation {
  readonly ctx: StrategyContext;
  readonly dice: Dice;
  readonly market: string;
  readonly side: Side;
  readonly bid: Decimal;
  readonly ask: Decimal;
  readonly orders: readonly Order[];
}

type Action = (situation: Situation) => void;

/** What an order is to be worth, in the quote currency. */
function worthOf({ dice, market }: Situation): number {
  const quote = market.endsWith('IRT') ? 'rls' : 'usdt';
  return LEAST_VALUES[quote] * dice.logUniform(LEAST_WORTH, MOST_WORTH);
}

/** The amount of the coin that an order of a random worth buys. */
function amountOf(situation: Situation): string {
  return new Decimal(worthOf(situation)).div(situation.bid).toFixed(10);
}

/** How much, in one of the three ways. */
function sizeOf(situation: Situation): Size {
  const { dice } = situation;
  if (dice.happens(0.6)) return { amount: amountOf(situation) };
  return dice.happens(0.5)
    ? { value: worthOf(situation) }
    : { equityShare: dice.between(0.001, MOST_SHARE).toFixed(6) };
}

/** A price away from the market: below for a buy, above for a sale; with a negative share through it. */
function priceAway({ side, bid, ask }: Situation, share: number): string {
  return (side === 'buy' ? bid.times(1 - share) : ask.times(1 + share)).toFixed(10);
}

const sharesAway = (dice: Dice): number => (dice.happens(0.2) ? -NEAR * 4 : dice.logUniform(NEAR, FAR));

const place = (
  situation: Situation,
  wish: Pick<OrderWish, 'price' | 'stopPrice' | 'expireAfterMs' | 'postOnly'>,
): void => {
  const { ctx, side } = situation;
  ctx[side]({ ...sizeOf(situation), ...wish });
};

const limit: Action = (situation) => {
  const { dice } = situation;
  place(situation, {
    price: priceAway(situation, sharesAway(dice)),
    ...(dice.happens(0.2) ? { expireAfterMs: dice.integer(1_000, 600_000) } : {}),
    ...(dice.happens(0.2) ? { postOnly: true } : {}),
  });
};

const atMarket: Action = (situation) => place(situation, {});

/** A stop waits on the far side: a buy above the market, a sale below it. */
const stop: Action = (situation) => {
  const share = situation.dice.logUniform(NEAR * 4, FAR);
  const stopPrice = priceAway(situation, -share);
  place(
    situation,
    situation.dice.happens(0.5) ? { stopPrice } : { stopPrice, price: priceAway(situation, -share * 1.2) },
  );
};

const pair: Action = (situation) => {
  const share = situation.dice.logUniform(NEAR * 4, FAR);
  situation.ctx.oco(situation.side, {
    ...sizeOf(situation),
    price: priceAway(situation, share),
    stopPrice: priceAway(situation, -share),
    stopLimitPrice: priceAway(situation, -share * 1.2),
  });
};

/**
 * The same order several times at once, or beside one that is there already on the same terms: wanted, so
 * each is to come once and none twice.
 */
const alike: Action = (situation) => {
  const { ctx, dice, side } = situation;
  const price = dice.happens(0.3) ? {} : { price: priceAway(situation, sharesAway(dice)) };
  const wish = { amount: amountOf(situation), ...price, allowIdentical: true };
  const count = dice.integer(2, 4);
  for (let done = 0; done < count; done += 1) ctx[side](wish);
};

/** What an impatient person does: an order without a clear answer is placed once more. */
const again: Action = (situation) => {
  const { ctx, dice, orders } = situation;
  const order = dice.pick(orders.filter(({ state }) => state === 'unknown'));
  if (order === null) return;
  const price = priceAway({ ...situation, side: order.side }, sharesAway(dice));
  ctx[order.side]({ amount: order.exact.amount, price, allowIdentical: true });
};

const takeBack: Action = ({ ctx, dice, orders }) => {
  const order = dice.pick(orders);
  if (order !== null) ctx.cancel(order.clientOrderId);
};

const takeAllBack: Action = ({ ctx, dice, market }) =>
  dice.happens(0.5) ? ctx.cancelAll() : ctx.cancelAll(market);

const change: Action = (situation) => {
  const { ctx, dice, orders } = situation;
  const order = dice.pick(orders.filter(({ execution, state }) => execution === 'limit' && state === 'open'));
  if (order === null) return;
  const there = { ...situation, side: order.side };
  const price = priceAway(there, sharesAway(dice));
  const amount = new Decimal(order.exact.amount).times(dice.between(0.5, 1.5)).toFixed(10);
  ctx.replace(order.clientOrderId, dice.happens(0.5) ? { price } : { price, amount });
};

const hold: Action = (situation) => {
  const { ctx, dice } = situation;
  const wishes = [
    { equityShare: dice.between(0, MOST_SHARE).toFixed(6) },
    { value: worthOf(situation) },
    { position: amountOf(situation) },
  ] as const;
  const wish = dice.pick(wishes) ?? wishes[0];
  ctx.target(dice.happens(0.5) ? wish : { ...wish, price: priceAway(situation, NEAR) });
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

/** A distance from what is paid, in one of the four ways. */
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

/** How a position of some worth is left: some of the ways, at least one. */
const exitOf = (situation: Situation, worth: number): ExitWish => {
  const { dice } = situation;
  const isTrailing = dice.happens(0.4);
  return {
    stopLoss: distanceOf(situation, worth),
    ...(dice.happens(0.6) ? { takeProfit: distanceOf(situation, worth) } : {}),
    ...(isTrailing
      ? { trail: { by: distanceOf(situation, worth), minStep: dice.between(0, 0.1).toFixed(6), on: 'poll' } }
      : {}),
    ...(isTrailing && dice.happens(0.5) ? { breakEvenAt: distanceOf(situation, worth) } : {}),
    ...(dice.happens(0.3) ? { timeStopMs: dice.integer(30_000, 3_600_000) } : {}),
    ...(dice.happens(0.1) ? { whenCanceled: 'leave' } : {}),
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

/** Every kind of intent, by how often; those that end others' work are rare. */
const WEIGHTS: readonly (readonly [action: Action, weight: number])[] = [
  [limit, 4],
  [atMarket, 1],
  [stop, 2],
  [pair, 3],
  [alike, 1],
  [takeBack, 2],
  [takeAllBack, 1],
  [change, 2],
  [hold, 1],
  [quote, 2],
  [inSlices, 1],
  [hidden, 1],
  [bracketed, 3],
  [guarded, 1],
];

const ACTIONS: readonly Action[] = WEIGHTS.flatMap(([action, weight]) =>
  Array.from({ length: weight }, () => action),
);

const PARAMS = z.strictObject({
  seed: z.int(),
  /** How likely it wants something when a book comes. */
  activity: z.number().positive().max(1),
  everyMs: z.int().positive(),
});

/** Wants anything at any time. Its chance is in its state, so a restart goes on where the mirror says. */
export const WORKLOAD = defineStrategy({
  name: 'chaos',
  params: PARAMS,
  /** Null: it begins with the seed of its parameters. */
  state: z.strictObject({ random: z.number().nullable().default(null) }),
  data: ({ market, params }) => ({ book: market.book({ everyMs: params.everyMs, maxAgeMs: 120_000 }) }),
  on: {
    book(ctx, { bestBid, bestAsk }) {
      const { state, params, market, orders } = ctx;
      const random = createRandom(state.random ?? params.seed);
      const dice = new Dice(Math.floor(random.next() * 0x1_0000_0000));
      ctx.setState({ random: random.state });
      if (bestBid === null || bestAsk === null || !dice.happens(params.activity)) return;
      const side: Side = dice.happens(0.5) ? 'buy' : 'sell';
      const prices = { bid: new Decimal(bestBid.exact.price), ask: new Decimal(bestAsk.exact.price) };
      const situation = { ctx, dice, market, side, ...prices, orders };
      if (orders.some(({ state }) => state === 'unknown')) again(situation);
      const actions = Array.from({ length: dice.happens(0.1) ? 3 : 1 }, () => dice.pick(ACTIONS) ?? limit);
      for (const action of actions) action(situation);
    },
  },
});
