import { Decimal } from 'decimal.js';
import type { Side } from '../../domain/order.ts';
import type { StrategyContext } from '../../strategy/context.ts';
import type { Size } from '../../strategy/intents.ts';
import type { Order } from '../../strategy/own-order.ts';
import type { Dice } from '../dice.ts';

/** Worth of one order in least values of its market: from clearly enough to a few levels of the book. */
const LEAST_WORTH = 4;
const MOST_WORTH = 40;
const LEAST_VALUES = { rls: 3_000_000, usdt: 11 } as const;

/** Distances of prices from the best ones, as shares: quotes that fill often, and some that rest. */
export const NEAR = 0.000_2;
export const FAR = 0.01;

/** Most of the equity that one order or holding asks for. */
export const MOST_SHARE = 0.05;

/** Input of one draw. */
export interface Situation {
  readonly ctx: StrategyContext;
  readonly dice: Dice;
  readonly market: string;
  /** All that the bot follows. */
  readonly markets: readonly string[];
  readonly side: Side;
  readonly bid: Decimal;
  readonly ask: Decimal;
  readonly orders: readonly Order[];
}

export type Action = (situation: Situation) => void;

/** A kind of intent, and how often it is drawn beside the others. */
export type WeightedAction = readonly [action: Action, weight: number];

/** Returns the worth of an order, in the quote currency. */
export function worthOf({ dice, market }: Situation): number {
  const quote = market.endsWith('IRT') ? 'rls' : 'usdt';
  return LEAST_VALUES[quote] * dice.logUniform(LEAST_WORTH, MOST_WORTH);
}

/** The amount of the coin that an order of a random worth buys. */
export function amountOf(situation: Situation): string {
  return new Decimal(worthOf(situation)).div(situation.bid).toFixed(10);
}

/** Returns the size of an order, in one of the three forms. */
export function sizeOf(situation: Situation): Size {
  const { dice } = situation;
  if (dice.happens(0.6)) return { amount: amountOf(situation) };
  return dice.happens(0.5)
    ? { value: worthOf(situation) }
    : { equityShare: dice.between(0.001, MOST_SHARE).toFixed(6) };
}

/** A price away from the market: below for a buy, above for a sale; with a negative share through it. */
export function priceAway({ side, bid, ask }: Situation, share: number): string {
  return (side === 'buy' ? bid.times(1 - share) : ask.times(1 + share)).toFixed(10);
}

export const sharesAway = (dice: Dice): number =>
  dice.happens(0.2) ? -NEAR * 4 : dice.logUniform(NEAR, FAR);
