import { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import { SPANS, type Span, type Subscription } from './subscriptions.ts';

/** Subscriptions of one strategy; each costs polls. */
const MOST_SUBSCRIPTIONS = 20;

const spans = Object.keys(SPANS) as [Span, ...Span[]];

const subscriptions = z
  .array(
    z.discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('candles'),
        market: z.string(),
        span: z.enum(spans, `expected one of ${spans.join(', ')}`),
      }),
      z.strictObject({ kind: z.literal('book'), market: z.string() }),
    ]),
  )
  .max(MOST_SUBSCRIPTIONS);

/**
 * What `subscribe` returned, when it is a list of subscriptions. Authors may write JavaScript, so the types are not believed.
 * @throws SarrafError `INVALID_STRATEGY` that says which field is wrong.
 */
export function checkedSubscriptions(wanted: unknown): readonly Subscription[] {
  const checked = subscriptions.safeParse(wanted);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const place = ['subscribe', ...(issue?.path ?? [])].join('.');
  throw new SarrafError('INVALID_STRATEGY', `${place}: ${issue?.message ?? 'expected a list of subscriptions'}`);
}
