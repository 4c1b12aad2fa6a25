import { z } from 'zod';
import { createRandom } from '../../domain/random.ts';
import { otherSide } from '../../domain/transfer.ts';
import type { StrategyContext } from '../../strategy/context.ts';
import { defineStrategy } from '../../strategy/definition.ts';
import { Dice } from '../dice.ts';

/** Shares of what is free that go to margin at once: mostly little, so that something is left to trade. */
const LEAST_PART = 0.000_1;
const LARGEST_PART = 0.3;

/** Probability that it requests a second transfer of the same currency, of money that may be gone by then. */
const AGAIN = 0.2;
/** Probability that it requests something the exchange or the bot has to refuse. */
const WRONG = 0.1;

const MOST_TOLD = 2_000;

/** More than any account has. */
const TOO_MUCH = { least: 1e13, most: 9e13 } as const;

type Dealing = Pick<StrategyContext, 'transfer' | 'freeBase' | 'freeQuote' | 'base' | 'quote'>;

/**
 * Moves money between the spot and the margin wallets, and remembers what it was told of it. No two of its
 * amounts are the same, so each transfer of the exchange is known by its amount.
 */
export const TREASURER = defineStrategy({
  name: 'treasurer',
  params: z.strictObject({ seed: z.int(), activity: z.number().positive().max(1), everyMs: z.int() }),
  state: z.strictObject({
    random: z.number().nullable().default(null),
    /** By currency: what should be in the margin wallet by what it was told. */
    there: z.record(z.string(), z.number()).default({}),
    /** Ids with what was told of them last. */
    told: z.record(z.string(), z.enum(['done', 'unknown', 'accepted'])).default({}),
  }),
  data: ({ market, params }) => ({ book: market.book({ everyMs: params.everyMs, maxAgeMs: 120_000 }) }),
  on: {
    book(ctx) {
      const { state, params } = ctx;
      const random = createRandom(state.random ?? params.seed);
      // Where an older mirror is put back, the same numbers come again, but never at the same time.
      const dice = new Dice((Math.floor(random.next() * 0x1_0000_0000) ^ (ctx.nowMs % 0x1_0000_0000)) >>> 0);
      ctx.setState({ ...state, random: random.state });
      if (!dice.happens(params.activity)) return;
      move(ctx, state.there, dice);
      if (dice.happens(AGAIN)) move(ctx, state.there, dice);
    },
    transfer(ctx, { id, currency, amount, from, status }) {
      const { there, told } = ctx.state;
      const moved = from === 'spot' ? amount : -amount;
      const sum = status === 'done' ? (there[currency] ?? 0) + moved : (there[currency] ?? 0);
      const kept = Object.entries({ ...told, [id]: status }).slice(-MOST_TOLD);
      ctx.setState({
        ...ctx.state,
        there: { ...there, [currency]: Math.max(0, sum) },
        told: Object.fromEntries(kept),
      });
    },
  },
});

function move(ctx: Dealing, there: Readonly<Record<string, number>>, dice: Dice): void {
  const isQuote = dice.happens(0.5);
  const currency = isQuote ? ctx.quote : ctx.base;
  const free = isQuote ? ctx.freeQuote : ctx.freeBase;
  const inMargin = there[currency] ?? 0;
  if (dice.happens(WRONG)) {
    const from = dice.happens(0.5) ? 'spot' : 'margin';
    const amount = dice.between(TOO_MUCH.least, TOO_MUCH.most).toFixed(2);
    ctx.transfer({ currency, amount, from, to: otherSide(from) });
  } else if (inMargin > 1 && dice.happens(0.5)) {
    const amount = (inMargin * dice.between(0.1, 0.99)).toFixed(8);
    ctx.transfer({ currency, amount, from: 'margin', to: 'spot' });
  } else if (free > 1) {
    const amount = free * dice.logUniform(LEAST_PART, LARGEST_PART);
    ctx.transfer({ currency, amount: amount.toFixed(8), from: 'spot', to: 'margin' });
  }
}
