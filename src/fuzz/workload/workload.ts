import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { createRandom } from '../../domain/random.ts';
import type { Side } from '../../domain/order.ts';
import { defineStrategy } from '../../strategy/definition.ts';
import { Dice } from '../dice.ts';
import { ALGORITHM_ACTIONS } from './algorithm-actions.ts';
import { BRACKET_ACTIONS } from './bracket-actions.ts';
import { PORTFOLIO_ACTIONS } from './portfolio-actions.ts';
import { EXIT_ACTIONS } from './exit-actions.ts';
import { again, limit, ORDER_ACTIONS } from './order-actions.ts';
import type { Action } from './situation.ts';

/** Every kind of intent, by how often; those that end others' work are rare. */
const ACTIONS: readonly Action[] = [
  ...ORDER_ACTIONS,
  ...ALGORITHM_ACTIONS,
  ...BRACKET_ACTIONS,
  ...PORTFOLIO_ACTIONS,
].flatMap(([action, weight]) => Array.from({ length: weight }, () => action));

/** So many stops follow the price at once in each market; more are refused, which is drawn too. */
const MOST_TRAILS = 6;
const TRAIL_EVERY_MS = 10_000;

/** Probability that it also leaves a position, or names a price outside of the exchange's band. */
const EXITS = 0.12;

const PARAMS = z.strictObject({
  seed: z.int(),
  /** Probability that it requests something when a book comes. */
  activity: z.number().positive().max(1),
  everyMs: z.int().positive(),
  /** Those that the bot follows. */
  markets: z.array(z.string()).default(['BTCIRT', 'BTCUSDT', 'USDTIRT']),
});

/** Wants anything at any time. Its chance is in its state, so a restart goes on where the mirror says. */
export const WORKLOAD = defineStrategy({
  name: 'chaos',
  params: PARAMS,
  /** Null: it begins with the seed of its parameters. */
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
