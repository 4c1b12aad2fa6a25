import { Decimal } from 'decimal.js';
import {
  amountOf,
  FAR,
  MOST_SHARE,
  NEAR,
  priceAway,
  sizeOf,
  worthOf,
  type Action,
  type WeightedAction,
} from './situation.ts';

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

export const ALGORITHM_ACTIONS: readonly WeightedAction[] = [
  [hold, 1],
  [quote, 2],
  [inSlices, 1],
  [hidden, 1],
  [withVolume, 1],
  [laddered, 1],
  [pegged, 2],
  [averaged, 1],
];
