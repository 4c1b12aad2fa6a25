import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import type { Intent } from './intents.ts';

/** Intents that one event may cause; more is a loop that has run away. */
const MOST_INTENTS = 100;

const decimalInput = z.union([z.string(), z.instanceof(Decimal)]).refine(isPositive, 'expected a positive decimal');
const side = z.enum(['buy', 'sell']);
const market = z.string();

const intent: z.ZodType<Intent> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('place'), market, side, amount: decimalInput, price: decimalInput.optional() }),
  z.strictObject({ kind: z.literal('cancel'), clientOrderId: z.string() }),
  z.strictObject({
    kind: z.literal('quotes'),
    market,
    quotes: z.array(z.strictObject({ side, price: decimalInput, amount: decimalInput })).max(MOST_INTENTS),
  }),
]) as z.ZodType<Intent>;

const intentList = z.array(intent).max(MOST_INTENTS);

/**
 * What a handler returned as intents, when it is a list of intents. Authors may write JavaScript, so the types are not believed.
 * @throws SarrafError `INVALID_STRATEGY` that says which field of which intent is wrong.
 */
export function checkedIntents(intents: unknown): readonly Intent[] {
  if (Array.isArray(intents) && intents.length === 0) return [];
  const checked = intentList.safeParse(intents);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const place = ['intents', ...(issue?.path ?? [])].join('.');
  throw new SarrafError('INVALID_STRATEGY', `${place}: ${issue?.message ?? 'expected a list of intents'}`);
}

function isPositive(input: string | Decimal): boolean {
  try {
    const value = new Decimal(input);
    return value.isFinite() && value.isPositive() && !value.isZero();
  } catch {
    return false;
  }
}
