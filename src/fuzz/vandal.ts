import { z } from 'zod';
import { createRandom } from '../domain/random.ts';
import type { Book } from '../strategy/book.ts';
import type { MarketContext, StrategyContext } from '../strategy/context.ts';
import { defineStrategy, type StrategyDefinition } from '../strategy/definition.ts';
import { Dice } from './dice.ts';

/** Text that it writes wherever it can: it must never appear elsewhere. */
export const MARK = 'vandal was here';

/** Acts of a hostile strategy. A suite in which one of them never occurred has not tested it. */
export const VANDAL_ACTS = [
  'throws',
  'rejects a promise',
  'loops',
  'answers nonsense',
  'wants nonsense',
  'changes its input',
  'logs too much',
] as const;

export type VandalAct = (typeof VANDAL_ACTS)[number];

/** Share of endless loops among the calls that may make an order: the process hangs until it is ended. */
const LOOPS = 0.2;

/** Maximum number of objects that it keeps from one call to the next. */
const MOST_HELD = 20;

/** Price of its orders as a share of the market's: so low that hardly any fills. */
const FAR = 0.7;

const PARAMS = z.strictObject({ seed: z.int(), everyMs: z.int().positive() });

/** Schema of its state. `spoiled` must never be stored. `random` is null until the seed was used. */
const STATE = z.strictObject({
  random: z.number().nullable().default(null),
  spoiled: z.boolean().default(false),
});

/** Methods that an author in JavaScript may call: their parameters have no types. */
type Untyped = Readonly<Record<string, (...given: readonly unknown[]) => void>>;

const WRONG_REQUESTS: readonly ((ctx: Untyped) => void)[] = [
  (ctx) => ctx['buy']?.('many'),
  (ctx) => ctx['buy']?.(null),
  (ctx) => ctx['buy']?.({}),
  (ctx) => ctx['buy']?.({ amount: '-1' }),
  (ctx) => ctx['twap']?.('buy', { market: MARK, amount: Number.NaN, overMs: -1, slices: 0 }),
  (ctx) => {
    for (let count = 0; count < 101; count += 1) ctx['cancelAll']?.();
  },
];

const WRONG_STATES: readonly unknown[] = [{ random: 1n }, { random: () => 1 }, { other: 1 }, 'state'];

const WRONG_ANSWERS: readonly unknown[] = [5, 'nothing', [], { intents: [] }, { state: {} }, new Map()];

/**
 * Makes a hostile strategy: it throws, returns nonsense and promises, changes its input and its earlier
 * answers, logs too much, and sometimes makes a valid order. A definition keeps references to what it saw, so
 * each life needs its own. `onAct` gets each of its acts; it lets the time of an endless loop pass, which
 * virtual time can not.
 */
export function createVandal(onAct: (act: VandalAct) => void): StrategyDefinition {
  const held: object[] = [];
  let calls = 0;
  const hold = (things: readonly (object | null)[]): void => {
    for (const thing of things) if (thing !== null) held.push(thing);
    held.splice(0, Math.max(0, held.length - MOST_HELD));
  };
  const onBook = (
    ctx: StrategyContext<z.output<typeof PARAMS>, z.output<typeof STATE>>,
    seen: Book,
  ): unknown => {
    const { state, market, params } = ctx;
    const random = createRandom(state.random ?? params.seed);
    // A call that fails leaves the state as it was: by its state alone it would do the same for ever.
    calls += 1;
    const dice = Dice.of(Math.floor(random.next() * 0x1_0000_0000), `call ${calls}`);
    if (dice.happens(0.3)) for (const thing of held) spoil(thing);
    // A book without its list has no best level to read.
    hold([seen, dice.happens(0.5) ? seen.bids : seen.bestBid, ctx.data, ctx.exact, ctx.rules, ctx.orders]);
    if (dice.happens(0.5)) {
      onAct('changes its input');
      for (const thing of [...held, ...ctx.orders, params, ctx, ctx.state]) spoil(thing);
    }
    if (dice.happens(0.1)) {
      onAct('logs too much');
      for (let line = 0; line < 50; line += 1) ctx.log(`line ${line}`, { line });
    }
    const act = actOf(dice);
    ctx.setState({ random: random.state });
    if (act === 'nothing') return undefined;
    if (act !== 'orders') onAct(act);
    if (act === 'throws' || act === 'loops') throw new Error(`a vandal ${act}`);
    if (act === 'rejects a promise') return Promise.reject(new Error('a vandal promises'));
    if (act === 'answers nonsense') {
      ctx.setState({ spoiled: true });
      if (dice.happens(0.5)) (ctx as unknown as Untyped)['setState']?.(dice.pick(WRONG_STATES));
      return dice.pick(WRONG_ANSWERS);
    }
    if (act === 'wants nonsense') {
      ctx.setState({ spoiled: true });
      dice.pick(WRONG_REQUESTS)?.(ctx as unknown as Untyped);
      return undefined;
    }
    order(ctx, market, seen, hold);
    return undefined;
  };
  return defineStrategy({
    name: 'vandal',
    params: PARAMS,
    state: STATE,
    data: ({ market, params }) => ({ book: market.book({ everyMs: params.everyMs, maxAgeMs: 120_000 }) }),
    on: { book: (ctx, seen) => onBook(ctx, seen) as undefined },
  });
}

/** Draws an act: each of the first four in a tenth of the calls, mostly none. */
function actOf(
  dice: Dice,
): 'throws' | 'rejects a promise' | 'answers nonsense' | 'wants nonsense' | 'loops' | 'orders' | 'nothing' {
  const kinds = ['throws', 'rejects a promise', 'answers nonsense', 'wants nonsense'] as const;
  const draw = dice.integer(0, 9);
  return kinds[draw] ?? (draw > 5 ? 'nothing' : dice.happens(LOOPS) ? 'loops' : 'orders');
}

/** Makes a valid order. Its request is changed right after the call, and kept. */
function order(
  ctx: MarketContext,
  market: string,
  { bestBid }: Book,
  hold: (things: readonly object[]) => void,
): void {
  if (bestBid === null) return;
  const price = (bestBid.price * FAR).toFixed(2);
  const amount = market.startsWith('USDT') ? '60' : '0.01';
  const request = { amount, price, tag: 'vandal' };
  const quote = { side: 'buy', price, amount } as const;
  const quotes = [quote];
  ctx.quotes(quotes);
  ctx.buy(request);
  for (const thing of [request, quote, quotes]) spoil(thing);
  hold([request, quote, quotes]);
}

/** Changes an object in every way that it allows. */
function spoil(thing: object): void {
  const fields = thing as Record<string, unknown>;
  const spoilers: readonly (() => unknown)[] = [
    ...Object.keys(fields).flatMap((name) => [() => (fields[name] = MARK), () => delete fields[name]]),
    () => Object.defineProperty(fields, 'mark', { value: MARK, enumerable: true }),
    () => Array.isArray(thing) && thing.reverse(),
    () => Array.isArray(thing) && thing.push(MARK),
  ];
  for (const spoiler of spoilers) {
    try {
      spoiler();
    } catch {
      // It is frozen, as it should be.
    }
  }
}
