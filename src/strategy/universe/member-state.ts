import { z } from 'zod';
import { fieldsOf } from '../fields.ts';
import type { StrategyDefinition } from '../definition.ts';
import { StrategyState } from '../strategy-state.ts';

type Stateful = Pick<StrategyDefinition, 'name' | 'state' | 'migrate'>;

/** A symbol such as `BTCIRT`. Fields of a state of one market are mostly no such names, and then refused. */
const market = z.string().regex(/^[A-Z0-9_]{3,30}$/);

/** The state in one market before anything changes it. Throws like `StrategyState`. */
export function firstState({ name, ...definition }: Stateful): unknown {
  return new StrategyState(name, definition).value;
}

/** The schema of the states of a strategy by market; none where it keeps no state. */
export function statesByMarket({ state }: Stateful): z.ZodType | undefined {
  if (state === undefined) return undefined;
  // One market changes at a time: the states of the others were read before.
  const known = new WeakSet<object>();
  const one = z.unknown().transform((value, context) => {
    if (typeof value === 'object' && value !== null && known.has(value)) return value;
    const read = state.safeParse(value);
    if (read.success) {
      if (typeof read.data === 'object' && read.data !== null) known.add(read.data);
      return read.data;
    }
    for (const { path, message } of read.error.issues) context.addIssue({ code: 'custom', path, message });
    return z.NEVER;
  });
  return z.record(market, one, {
    error: ({ code }) =>
      code === 'invalid_key' ? 'expected states by market, such as BTCIRT, was another name' : undefined,
  });
}

/** Each stored state brought up to date by itself. Throws `INVALID_STRATEGY` where one does not fit. */
export function migratedStates({ name, ...definition }: Stateful, stored: unknown): unknown {
  return Object.fromEntries(
    Object.entries(fieldsOf(stored)).map(([symbol, one]) => {
      if (!market.safeParse(symbol).success) return [symbol, one];
      const state = new StrategyState(name, definition);
      state.restore(JSON.stringify(one));
      return [symbol, state.value];
    }),
  );
}
