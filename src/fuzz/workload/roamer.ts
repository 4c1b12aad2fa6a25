import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { createRandom } from '../../domain/random.ts';
import type { MarketContext, StrategyContext } from '../../strategy/context.ts';
import { defineStrategy } from '../../strategy/definition.ts';
import { sma } from '../../strategy/sdk.ts';
import { defineRules } from '../../strategy/rules.ts';
import { RANKINGS } from '../../strategy/universe-rules.ts';
import { Dice } from '../dice.ts';
import { FAR, NEAR } from './order-actions.ts';
import { otherSide } from '../../records/margin.ts';

/** Quote currency of the universe: its one member is BTCIRT or USDTIRT. */
const QUOTE = 'rls';
/** Range of order values, in rials. */
const VALUES = { least: 12_000_000, most: 90_000_000 } as const;

/** Maximum number of trailing stops at once; more are refused. */
const MOST_TRAILS = 4;

const PARAMS = z.strictObject({
  seed: z.int(),
  activity: z.number().positive().max(1),
  rankBy: z.enum(RANKINGS),
  refreshMs: z.int(),
  hysteresis: z.number(),
});

/** Trades in the current member of its universe, and sells at random times what it holds in others. */
export const ROAMER = defineStrategy({
  name: 'roamer',
  params: PARAMS,
  state: z.strictObject({ random: z.number().nullable().default(null) }),
  trailing: { most: MOST_TRAILS, everyMs: 20_000 },
  data: ({ universe, params: { rankBy, refreshMs, hysteresis } }) => {
    const members = universe({ quote: QUOTE, rankBy, take: 1, refreshMs, hysteresis, reserve: 1 });
    return {
      members,
      prices: members.ticker({ everyMs: 8_000, maxAgeMs: 120_000 }),
      bars: members.candles('1m', { history: 5 }),
    };
  },
  on: {
    prices(ctx, { market, exact }) {
      const random = createRandom(ctx.state.random ?? ctx.params.seed);
      const dice = new Dice(Math.floor(random.next() * 0x1_0000_0000));
      ctx.setState({ random: random.state });
      if (!dice.happens(ctx.params.activity)) return;
      const place = ctx.markets.of(market);
      const prices = { bid: new Decimal(exact.bid), ask: new Decimal(exact.ask) };
      if (!ctx.data.members.isMember(market)) {
        if (dice.happens(0.15)) leave(place, prices, dice);
      } else if (dice.happens(0.5)) buy(place, prices, dice);
      else if (dice.happens(0.25)) leave(place, prices, dice);
      else bracketed(place, dice);
      if (dice.happens(0.05)) ctx.cancelAll(market);
    },
  },
});

interface Prices {
  readonly bid: Decimal;
  readonly ask: Decimal;
}

/** Places orders that mostly fill, and some that rest. */
function buy(place: MarketContext, { bid, ask }: Prices, dice: Dice): void {
  const value = worthOf(dice);
  const price = dice.happens(0.7) ? ask.times(1 + NEAR * 4) : bid.times(1 - dice.logUniform(NEAR, FAR));
  place.buy({ value, price: price.toFixed(10), expireAfterMs: dice.integer(10_000, 600_000) });
}

function bracketed(place: MarketContext, dice: Dice): void {
  const percent = (): string => (dice.logUniform(NEAR * 10, FAR) * 100).toFixed(6);
  place.bracket({
    entry: { value: worthOf(dice) * 2 },
    stopLoss: { percent: percent() },
    takeProfit: { percent: percent() },
  });
}

function leave(place: MarketContext, { bid }: Prices, dice: Dice): void {
  if (place.position <= 0 || !place.isTradable(place.position, bid.toNumber())) return;
  place.sell({ amount: place.exact.position, ...(dice.happens(0.5) ? {} : { price: bid.toFixed(10) }) });
}

const worthOf = (dice: Dice): number => Math.round(dice.logUniform(VALUES.least, VALUES.most));

/** Range of the share of the free balance in one transfer: mostly little, so that some stays for trades. */
const LEAST_PART = 0.000_1;
const LARGEST_PART = 0.3;

/** Probability of a second transfer of the same currency, of money that may be gone by then. */
const AGAIN = 0.2;
/** Probability of a request that the exchange or the bot has to refuse. */
const WRONG = 0.1;

const MOST_STATUSES = 2_000;

/** Range of amounts that are more than any account has. */
const TOO_MUCH = { least: 1e13, most: 9e13 } as const;

type Dealing = Pick<StrategyContext, 'transfer' | 'freeBase' | 'freeQuote' | 'base' | 'quote'>;

/**
 * A strategy that moves money between the spot and the margin wallets, and stores the notices on it. No two
 * of its amounts are equal, so each transfer of the exchange is known by its amount.
 */
export const TREASURER = defineStrategy({
  name: 'treasurer',
  params: z.strictObject({ seed: z.int(), activity: z.number().positive().max(1), everyMs: z.int() }),
  state: z.strictObject({
    random: z.number().nullable().default(null),
    /** Expected balance of the margin wallet by currency, according to the notices. */
    there: z.record(z.string(), z.number()).default({}),
    /** Last notice by transfer id. */
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
      const statuses = Object.entries({ ...told, [id]: status }).slice(-MOST_STATUSES);
      ctx.setState({
        ...ctx.state,
        there: { ...there, [currency]: Math.max(0, sum) },
        told: Object.fromEntries(statuses),
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

/** Maximum number of ids that it stores, the last ones; the checker compares them with the notices. */
export const MOST_SEEN = 400;

/** Schema of the listener's state. */
export const LISTENER_STATE = z.strictObject({ told: z.array(z.string()).default([]) });

/** A strategy that obeys signals with orders far from the market, and stores each id in its state. */
export const LISTENER = defineStrategy({
  name: 'listener',
  params: z.strictObject({ everyMs: z.int() }),
  state: LISTENER_STATE,
  data: ({ market, params, signal }) => ({
    book: market.book({ everyMs: params.everyMs, maxAgeMs: 120_000 }),
    alert: signal(z.strictObject({ share: z.number().min(0).max(1).nullable() })),
  }),
  on: {
    alert(ctx, { id, payload: { share } }) {
      ctx.setState({ told: [...ctx.state.told, id].slice(-MOST_SEEN) });
      const price = ctx.data.book?.bestBid?.price ?? null;
      // Some are only listened to: nothing else makes their step be on the disk at once.
      if (share === null || price === null || ctx.freeQuote * share === 0) return;
      ctx.buy({ value: ctx.freeQuote * share * 0.01, price: price * 0.9, expireAfterMs: 60_000 });
    },
  },
});

/** A strategy of rules: it holds while a fast average of minutes is above a slow one, or until its stop. */
export const RULE_FOLLOWER = defineRules({
  name: 'rules',
  params: z.strictObject({
    fast: z.int(),
    slow: z.int(),
    value: z.number(),
    stopPercent: z.number().nullable(),
  }),
  data: ({ market }) => ({ bars: market.candles('1m') }),
  indicators: ({ bars }, { params }) => ({ fast: sma(bars, params.fast), slow: sma(bars, params.slow) }),
  enter: ({ fast, slow }) => fast.isAbove(slow),
  exit: ({ fast, slow }, { position }) => fast.isBelow(slow).or(position.barsHeld.isAbove(60)),
  size: (_, { params, account }) => ({ value: account.freeQuote.atMost(params.value) }),
  bracket: (_, { params }) =>
    params.stopPercent === null ? undefined : { stopLoss: { percent: params.stopPercent } },
});
