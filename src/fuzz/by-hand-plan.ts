import { MINUTE_MS } from '../domain/time-text.ts';
import type { ByHandCommand, ControlCommand, LockCommand } from '../engine/engine-event.ts';
import { PAUSE, UNTIL_RESUMED_MS } from '../engine/lock.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { Dice } from './dice.ts';

/** Share of the seeds with a person who pauses, cancels, closes and places by hand. */
const HANDED_SHARE = 0.7;

const SHORTEST_MEAN_MS = 4 * MINUTE_MS;
const LONGEST_MEAN_MS = 20 * MINUTE_MS;

/** Share of the commands that are repeated, with their keys, and the range of the delay. */
const REPEATED = 0.6;
const REPEATED_AFTER_MS = [1_000, 20 * MINUTE_MS] as const;

/** Of orders by hand, in units of the coin; each differs from every other, so that none is taken for one. */
const AMOUNTS: Readonly<Record<string, number>> = { btc: 0.001, usdt: 25 };
const AMOUNT_STEPS: Readonly<Record<string, number>> = { btc: 0.000_001, usdt: 0.01 };

/** Something that a person does at a time of a run. */
interface ActByHand {
  readonly atMs: number;
  /** `keys`: of orders that are open then. */
  readonly command: (nowMs: number, keys: readonly string[]) => ControlCommand;
}

interface Drawn {
  readonly dice: Dice;
  readonly markets: readonly string[];
  readonly index: number;
}

/** Returns the manual actions of a person in a run: some of them twice, as after two taps or a restart. */
export function actsByHandOf(
  seed: number,
  { runMs, markets }: { readonly runMs: number; readonly markets: readonly string[] },
): readonly ActByHand[] {
  const dice = Dice.of(seed, 'by hand');
  if (!dice.happens(HANDED_SHARE)) return [];
  const acts: ActByHand[] = [];
  const meanMs = dice.logUniform(SHORTEST_MEAN_MS, LONGEST_MEAN_MS);
  let index = 0;
  for (let atMs = dice.exponential(meanMs); atMs < runMs; atMs += dice.exponential(meanMs)) {
    index += 1;
    if (dice.happens(0.3)) {
      acts.push(...pauseOf({ dice, markets, index }, atMs));
      continue;
    }
    const command = commandOf({ dice, markets, index });
    acts.push({ atMs: Math.round(atMs), command });
    if (!dice.happens(REPEATED)) continue;
    acts.push({ atMs: Math.round(atMs + dice.logUniform(...REPEATED_AFTER_MS)), command });
  }
  return acts;
}

function strategyOf({ dice, markets }: Drawn): string {
  return `chaos-${dice.integer(0, markets.length - 1)}`;
}

/** A pause, and mostly its end: by itself, or by hand. */
function pauseOf(drawn: Drawn, atMs: number): readonly ActByHand[] {
  const { dice } = drawn;
  const strategy = strategyOf(drawn);
  const forMs = Math.round(dice.logUniform(0.3, 15) * MINUTE_MS);
  const endsByItself = dice.happens(0.5);
  const entries = dice.happens(0.7) ? 'cancel' : 'keep';
  const lock = { name: PAUSE, strategy, market: null, reason: 'the fuzzer said so', pauses: true } as const;
  const pause = (nowMs: number): LockCommand => ({
    kind: 'lock',
    ...lock,
    entries,
    untilMs: endsByItself ? nowMs + forMs : UNTIL_RESUMED_MS,
  });
  const resume: LockCommand = { kind: 'unlock', name: PAUSE, strategy, market: null, isAll: false };
  const begins = { atMs: Math.round(atMs), command: pause };
  return endsByItself ? [begins] : [begins, { atMs: Math.round(atMs + forMs), command: () => resume }];
}

function commandOf(drawn: Drawn): ActByHand['command'] {
  const { dice, markets, index } = drawn;
  const strategy = strategyOf(drawn);
  const market = dice.pick(markets) ?? 'BTCUSDT';
  const key = `by-hand-${index}`;
  const kind = dice.pick(['cancel', 'close', 'place'] as const) ?? 'close';
  const isWhole = dice.happens(0.5);
  const share = dice.between(0, 1);
  const draw = dice.integer(0, 3);
  if (kind === 'close') return () => ({ kind, key, strategy, market: null }) satisfies ByHandCommand;
  if (kind === 'place') {
    const own = markets[Number(strategy.slice(-1))] ?? market;
    return () => placeOf({ key, strategy, market: own, index, side: isWhole ? 'buy' : 'sell' });
  }
  return (_, keys) => {
    const order = draw === 0 ? (keys[Math.floor(share * keys.length)] ?? null) : null;
    if (order !== null) return { kind, key, order, strategy: null, market: null };
    const of = { strategy: draw === 1 ? null : strategy, market: isWhole ? null : market };
    return { kind, key, order: null, ...of };
  };
}

function placeOf(of: {
  readonly key: string;
  readonly strategy: string;
  readonly market: string;
  readonly side: 'buy' | 'sell';
  readonly index: number;
}): ByHandCommand {
  const { key, strategy, market, side, index } = of;
  const { base } = parseMarket(market);
  const amount = (AMOUNTS[base] ?? 1) + index * (AMOUNT_STEPS[base] ?? 0.01);
  const decimals = base === 'btc' ? 6 : 2;
  return {
    kind: 'place',
    key,
    strategy,
    market,
    side,
    amount: amount.toFixed(decimals),
    price: null,
    stopPrice: null,
  };
}
