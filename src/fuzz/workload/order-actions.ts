import { Decimal } from 'decimal.js';
import type { OrderWish } from '../../strategy/intents.ts';
import {
  amountOf,
  FAR,
  NEAR,
  priceAway,
  sharesAway,
  sizeOf,
  type Action,
  type WeightedAction,
  type Situation,
} from './situation.ts';

const place = (
  situation: Situation,
  wish: Pick<OrderWish, 'price' | 'stopPrice' | 'expireAfterMs' | 'postOnly'>,
): void => {
  const { ctx, side } = situation;
  ctx[side]({ ...sizeOf(situation), ...wish });
};

export const limit: Action = (situation) => {
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

/** Acts like an impatient person: places an order without a clear answer once more. */
export const again: Action = (situation) => {
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

export const ORDER_ACTIONS: readonly WeightedAction[] = [
  [limit, 4],
  [atMarket, 1],
  [stop, 2],
  [pair, 3],
  [alike, 1],
  [takeBack, 2],
  [takeAllBack, 1],
  [change, 2],
];
