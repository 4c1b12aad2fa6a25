import { z } from 'zod';
import { createRandom } from '../domain/random.ts';
import type { StrategyContext } from '../strategy/context.ts';
import { defineStrategy, type SeenBook, type StrategyDefinition } from '../strategy/definition.ts';
import { buy, quotes, type Intent } from '../strategy/sdk.ts';
import { book } from '../strategy/subscriptions.ts';
import { Dice } from './dice.ts';

/** What it writes wherever it can: nobody else may ever see it. */
export const MARK = 'vandal was here';

/** Things that it holds on to from one call to the next. */
const MOST_HELD = 20;

/** So far below the market that hardly anything fills. */
const FAR = 0.7;

const PARAMS = z.strictObject({ seed: z.int(), everyMs: z.int().positive() });

/** `spoiled` is only ever in an answer that is wrong besides, so it may never be the state. */
interface State {
  readonly random: number;
  readonly spoiled: boolean;
}

type Context = StrategyContext<z.output<typeof PARAMS>, State>;

const WRONG_INTENTS: readonly unknown[] = [
  'many',
  [null],
  [{ kind: 'place' }],
  [{ kind: 'place', market: 'BTCIRT', side: 'buy', amount: '-1' }],
  [{ kind: 'twap', market: MARK, side: 'buy', amount: Number.NaN, overMs: -1, slices: 0 }],
  Array.from({ length: 101 }, () => ({ kind: 'cancel-all' })),
];

const WRONG_ANSWERS: readonly unknown[] = [5, 'nothing', [], { state: 1n }, { state: () => 1 }, { intents: new Map() }];

/**
 * A strategy as nobody wants one: it throws, answers nonsense and promises, changes what it was handed and what it answered earlier, logs too much, and at times wants an
 * order as it should. A definition holds on to what it saw, so each life needs one of its own.
 */
export function createVandal(): StrategyDefinition {
  const held: object[] = [];
  const hold = (things: readonly (object | null)[]): void => {
    for (const thing of things) if (thing !== null) held.push(thing);
    held.splice(0, Math.max(0, held.length - MOST_HELD));
  };
  const onBook = (context: Context, seen: SeenBook): unknown => {
    const { state, market } = context;
    const random = createRandom(state.random);
    const dice = new Dice(Math.floor(random.next() * 0x1_0000_0000));
    const next: State = { random: random.state, spoiled: false };
    if (dice.happens(0.3)) for (const thing of held) spoil(thing);
    hold([seen, seen.bids, seen.bids[0] ?? null, context.book, context.free, context.rules, context.orders]);
    if (dice.happens(0.5)) for (const thing of [...held, ...context.orders, context.params]) spoil(thing);
    if (dice.happens(0.1)) for (let line = 0; line < 50; line += 1) context.log(`line ${line}`, { line });
    const act = dice.integer(0, 9);
    if (act === 0) throw new Error('a vandal throws');
    if (act === 1) return Promise.reject(new Error('a vandal promises'));
    if (act === 2) return dice.pick(WRONG_ANSWERS);
    if (act === 3) return { state: { ...next, spoiled: true }, intents: dice.pick(WRONG_INTENTS) };
    if (act > 5) return { state: next };
    const intents = ordersOf(market, seen);
    hold(intents);
    return { state: next, intents };
  };
  return defineStrategy({
    name: 'vandal',
    params: PARAMS,
    subscribe: ({ market, params }) => [book(market, { everyMs: params.everyMs, maxAgeMs: 120_000 })],
    init: ({ params }): State => ({ random: params.seed, spoiled: false }),
    onBook: onBook as NonNullable<StrategyDefinition<typeof PARAMS, State>['onBook']>,
  });
}

function ordersOf(market: string, { bids }: SeenBook): readonly Intent[] {
  const [best] = bids;
  if (best === undefined) return [];
  const price = (Number(best[0]) * FAR).toFixed(2);
  const amount = market.startsWith('USDT') ? '60' : '0.01';
  return [quotes(market, [{ side: 'buy', price, amount }]), buy(market, { amount, price, tag: 'vandal' })];
}

/** Changes an object in every way that it lets. */
function spoil(thing: object): void {
  const fields = thing as Record<string, unknown>;
  const ways: readonly (() => unknown)[] = [
    ...Object.keys(fields).flatMap((name) => [() => (fields[name] = MARK), () => delete fields[name]]),
    () => Object.defineProperty(fields, 'mark', { value: MARK, enumerable: true }),
    () => Array.isArray(thing) && thing.reverse(),
    () => Array.isArray(thing) && thing.push(MARK),
  ];
  for (const way of ways) {
    try {
      way();
    } catch {
      // It is frozen, as it should be.
    }
  }
}
