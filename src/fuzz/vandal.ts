import { z } from 'zod';
import { createRandom } from '../domain/random.ts';
import type { StrategyContext } from '../strategy/context.ts';
import { defineStrategy, type SeenBook, type StrategyDefinition } from '../strategy/definition.ts';
import { buy, quotes, type Intent } from '../strategy/sdk.ts';
import { book } from '../strategy/subscriptions.ts';
import { Dice } from './dice.ts';

/** What it writes wherever it can: nobody else may ever see it. */
export const MARK = 'vandal was here';

/** What a hostile strategy does. A suite in which it never did one of them has not tried it. */
export const VANDAL_ACTS = [
  'throws',
  'rejects a promise',
  'loops',
  'answers nonsense',
  'wants nonsense',
  'changes what it was handed',
  'logs too much',
] as const;

export type VandalAct = (typeof VANDAL_ACTS)[number];

/** Of those calls that might want an order: it does not come back from them by itself, and the process stands still until it is ended. */
const LOOPS = 0.2;

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
 * order as it should. A definition holds on to what it saw, so each life needs one of its own. `onAct` is told of each thing that it does; it is to let the
 * time pass that a loop takes, which virtual time can not.
 */
export function createVandal(onAct: (act: VandalAct) => void): StrategyDefinition {
  const held: object[] = [];
  let calls = 0;
  const hold = (things: readonly (object | null)[]): void => {
    for (const thing of things) if (thing !== null) held.push(thing);
    held.splice(0, Math.max(0, held.length - MOST_HELD));
  };
  const onBook = (context: Context, seen: SeenBook): unknown => {
    const { state, market } = context;
    const random = createRandom(state.random);
    // A call that fails leaves the state as it was: by its state alone it would do the same for ever.
    calls += 1;
    const dice = Dice.of(Math.floor(random.next() * 0x1_0000_0000), `call ${calls}`);
    const next: State = { random: random.state, spoiled: false };
    if (dice.happens(0.3)) for (const thing of held) spoil(thing);
    hold([seen, seen.bids, seen.bids[0] ?? null, context.book, context.free, context.rules, context.orders]);
    if (dice.happens(0.5)) {
      onAct('changes what it was handed');
      for (const thing of [...held, ...context.orders, context.params]) spoil(thing);
    }
    if (dice.happens(0.1)) {
      onAct('logs too much');
      for (let line = 0; line < 50; line += 1) context.log(`line ${line}`, { line });
    }
    const act = actOf(dice);
    if (act === 'nothing') return { state: next };
    if (act !== 'orders') onAct(act);
    if (act === 'throws' || act === 'loops') throw new Error(`a vandal ${act}`);
    if (act === 'rejects a promise') return Promise.reject(new Error('a vandal promises'));
    if (act === 'answers nonsense') return dice.pick(WRONG_ANSWERS);
    if (act === 'wants nonsense') return { state: { ...next, spoiled: true }, intents: dice.pick(WRONG_INTENTS) };
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

/** Each of the first four a tenth of the calls; in most it does nothing. */
function actOf(
  dice: Dice,
): 'throws' | 'rejects a promise' | 'answers nonsense' | 'wants nonsense' | 'loops' | 'orders' | 'nothing' {
  const kinds = ['throws', 'rejects a promise', 'answers nonsense', 'wants nonsense'] as const;
  const draw = dice.integer(0, 9);
  return kinds[draw] ?? (draw > 5 ? 'nothing' : dice.happens(LOOPS) ? 'loops' : 'orders');
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
