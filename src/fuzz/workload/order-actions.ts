import { Decimal } from 'decimal.js';
import type { Side } from '../../domain/order.ts';
import type { StrategyContext } from '../../strategy/context.ts';
import type { Size, OrderWish } from '../../strategy/intents.ts';
import type { Order } from '../../strategy/strategy-event.ts';
import type { Dice } from '../dice.ts';

/** Range of the value of one order, as a multiple of its market's least value. */
const LEAST_WORTH = 4;
const MOST_WORTH = 40;
const LEAST_VALUES = { rls: 3_000_000, usdt: 11 } as const;

/** Distances of prices from the best ones, as shares: for quotes that fill often, and for some that rest. */
export const NEAR = 0.000_2;
export const FAR = 0.01;

/** Largest share of the equity that one order or holding requests. */
export const MOST_SHARE = 0.05;

/** Input of one draw. */
export interface Situation {
  readonly ctx: StrategyContext;
  readonly dice: Dice;
  readonly market: string;
  /** All markets that the bot follows. */
  readonly markets: readonly string[];
  readonly side: Side;
  readonly bid: Decimal;
  readonly ask: Decimal;
  readonly orders: readonly Order[];
}

export type Action = (situation: Situation) => void;

/** A kind of intent with its weight in the draw. */
export type WeightedAction = readonly [action: Action, weight: number];

/** Returns the value of an order, in the quote currency. */
export function worthOf({ dice, market }: Situation): number {
  const quote = market.endsWith('IRT') ? 'rls' : 'usdt';
  return LEAST_VALUES[quote] * dice.logUniform(LEAST_WORTH, MOST_WORTH);
}

/** Returns the amount of the coin that an order of a random value buys. */
export const amountOf = (situation: Situation): string =>
  new Decimal(worthOf(situation)).div(situation.bid).toFixed(10);

/** Returns the size of an order, in one of the three forms. */
export function sizeOf(situation: Situation): Size {
  const { dice } = situation;
  if (dice.happens(0.6)) return { amount: amountOf(situation) };
  return dice.happens(0.5)
    ? { value: worthOf(situation) }
    : { equityShare: dice.between(0.001, MOST_SHARE).toFixed(6) };
}

/** Returns a price away from the market: below for a buy, above for a sale; a negative share crosses it. */
export const priceAway = ({ side, bid, ask }: Situation, share: number): string =>
  (side === 'buy' ? bid.times(1 - share) : ask.times(1 + share)).toFixed(10);

export const sharesAway = (dice: Dice): number =>
  dice.happens(0.2) ? -NEAR * 4 : dice.logUniform(NEAR, FAR);

const place = (
  situation: Situation,
  request: Pick<OrderWish, 'price' | 'stopPrice' | 'expireAfterMs' | 'postOnly'>,
): void => {
  const { ctx, side } = situation;
  ctx[side]({ ...sizeOf(situation), ...request });
};

export const limit: Action = (situation) => {
  const { dice } = situation;
  place(situation, {
    price: priceAway(situation, sharesAway(dice)),
    ...(dice.happens(0.2) ? { expireAfterMs: dice.integer(1_000, 600_000) } : {}),
    ...(dice.happens(0.2) ? { postOnly: true } : {}),
  });
};

/** Places a stop on the far side: a buy above the market, a sale below it. */
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

/** Places the same order several times at once: all are wanted, so each must come once. */
const alike: Action = (situation) => {
  const { ctx, dice, side } = situation;
  const price = dice.happens(0.3) ? {} : { price: priceAway(situation, sharesAway(dice)) };
  const request = { amount: amountOf(situation), ...price, allowIdentical: true };
  const count = dice.integer(2, 4);
  for (let done = 0; done < count; done += 1) ctx[side](request);
};

/** Acts like an impatient person: places an order without a clear answer once more. */
export const again: Action = (situation) => {
  const { ctx, dice, orders } = situation;
  const order = dice.pick(orders.filter(({ state }) => state === 'unknown'));
  if (order === null) return;
  const price = priceAway({ ...situation, side: order.side }, sharesAway(dice));
  ctx[order.side]({ amount: order.exact.amount, price, allowIdentical: true });
};

const cancelOne: Action = ({ ctx, dice, orders }) => {
  const order = dice.pick(orders);
  if (order !== null) ctx.cancel(order.clientOrderId);
};

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
  [(situation) => place(situation, {}), 1],
  [stop, 2],
  [pair, 3],
  [alike, 1],
  [cancelOne, 2],
  [({ ctx, dice, market }) => (dice.happens(0.5) ? ctx.cancelAll() : ctx.cancelAll(market)), 1],
  [change, 2],
];

/** Shares of the price beyond which the exchange accepts no limit order: slightly, and far. */
const BEYOND = 0.31;
const FAR_BEYOND = 0.8;

const part = ({ ctx, dice }: Parameters<Action>[0], most: number): string =>
  new Decimal(ctx.exact.position).times(dice.between(0.1, most)).toFixed(10);

/** Exits the whole position, sometimes at a limit. */
const leave: Action = ({ ctx, dice, ...situation }) =>
  ctx.exit({
    ...(dice.happens(0.5) ? { reason: 'drawn' } : {}),
    ...(dice.happens(0.3) ? { price: priceAway({ ctx, dice, ...situation, side: 'sell' }, 0.001) } : {}),
  });

/** Sells all or a part of the position, after the cancel of everything or beside resting orders. */
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

/** Places a bracket whose target is outside the exchange's price band. */
const farBracket: Action = (situation) => {
  const { ctx, dice } = situation;
  ctx.bracket({
    entry: { value: worthOf(situation) * 2 },
    takeProfit: { percent: (dice.between(BEYOND, FAR_BEYOND) * 100).toFixed(4) },
    stopLoss: { percent: dice.between(0.2, 3).toFixed(4) },
  });
};

/** Places a limit order outside the price band, which is refused. */
const farOrder: Action = (situation) =>
  situation.ctx.buy({ amount: amountOf(situation), price: priceAway({ ...situation, side: 'buy' }, BEYOND) });

export const EXIT_ACTIONS: readonly Action[] = [leave, leave, sell, sell, reduce, farBracket, farOrder];

/** Markets grouped by quote currency. */
const TOGETHER: readonly (readonly string[])[] = [['BTCIRT', 'USDTIRT'], ['BTCUSDT']];

const LEAST_SHARE = 0.000_2;

/** Requests shares of all markets of one quote currency, or of some; sometimes zero of one. */
const spread: Action = ({ ctx, dice, market, markets }) => {
  const symbols = TOGETHER.find((all) => all.includes(market)) ?? [market];
  const named = symbols.filter(
    (symbol) => symbol === market || (markets.includes(symbol) && dice.happens(0.8)),
  );
  const shares = named.map((symbol): readonly [string, string] => [
    symbol,
    dice.happens(0.2) ? '0' : dice.logUniform(LEAST_SHARE, MOST_SHARE).toFixed(6),
  ]);
  ctx.targets(Object.fromEntries(shares), {
    ...(dice.happens(0.7) ? { band: dice.between(0, 0.001).toFixed(6) } : {}),
    atOnce: dice.integer(1, 3),
  });
};

export const PORTFOLIO_ACTIONS: readonly WeightedAction[] = [[spread, 2]];
