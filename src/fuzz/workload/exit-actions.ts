import { Decimal } from 'decimal.js';
import { amountOf, priceAway, worthOf, type Action } from './situation.ts';

/** Shares of the price beyond which the exchange takes no limit order, and well beyond that. */
const BEYOND = 0.31;
const FAR_BEYOND = 0.8;

const part = ({ ctx, dice }: Parameters<Action>[0], most: number): string =>
  new Decimal(ctx.exact.position).times(dice.between(0.1, most)).toFixed(10);

/** Leaves the whole position, sometimes at a limit. */
const leave: Action = ({ ctx, dice, ...situation }) =>
  ctx.exit({
    ...(dice.happens(0.5) ? { reason: 'drawn' } : {}),
    ...(dice.happens(0.3) ? { price: priceAway({ ctx, dice, ...situation, side: 'sell' }, 0.001) } : {}),
  });

/** Sells all or a part of it, after the cancel of everything or beside what rests. */
const sell: Action = (situation) => {
  const { ctx, dice } = situation;
  if (ctx.position <= 0) return;
  if (dice.happens(0.3)) ctx.cancelAll(ctx.market);
  const amount = dice.happens(0.5) ? ctx.exact.position : part(situation, 1);
  ctx.sell({
    amount,
    ...(dice.happens(0.2) ? { price: priceAway({ ...situation, side: 'sell' }, 0.001) } : {}),
  });
};

const reduce: Action = (situation) => {
  const { ctx, dice } = situation;
  if (ctx.position <= 0) return;
  ctx.target({ position: dice.happens(0.5) ? 0 : part(situation, 0.9) });
};

/** A bracket whose target is out of the exchange's band. */
const farBracket: Action = (situation) => {
  const { ctx, dice } = situation;
  ctx.bracket({
    entry: { value: worthOf(situation) * 2 },
    takeProfit: { percent: (dice.between(BEYOND, FAR_BEYOND) * 100).toFixed(4) },
    stopLoss: { percent: dice.between(0.2, 3).toFixed(4) },
  });
};

/** A limit order out of it, which is refused. */
const farOrder: Action = (situation) =>
  situation.ctx.buy({ amount: amountOf(situation), price: priceAway({ ...situation, side: 'buy' }, BEYOND) });

export const EXIT_ACTIONS: readonly Action[] = [leave, leave, sell, sell, reduce, farBracket, farOrder];
