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

export const ALGORITHM_ACTIONS: readonly WeightedAction[] = [
  [hold, 1],
  [quote, 2],
  [inSlices, 1],
  [hidden, 1],
];
