import type { OrderItem, StepItem } from '../../schema/order.ts';
import { knownMarket } from '../markets.ts';
import { ORDER_STATE_TONES } from '../order-state-tones.ts';
import { RawData } from '../parts/raw-data.tsx';
import { Badge, NameWord, Said } from '../parts/words.tsx';
import { say } from '../say.ts';
import { showExact, showLength, showTime } from '../shown.ts';

interface StepLineProps {
  readonly step: StepItem;
  /** Time of the step before it; null for the first. */
  readonly beforeMs: number | null;
  readonly market: string;
}

/** Lengths of time are shown from a second on. */
const LEAST_LENGTH_MS = 1_000;

/** One step of an order's life: when it was, what it says, and all that the journal has of it. */
export function StepLine({ step, beforeMs, market }: StepLineProps) {
  const { atMs, data } = step;
  return (
    <li>
      <span class="when">
        <time>{showTime(atMs, 'second')}</time>
        {beforeMs === null || atMs - beforeMs < LEAST_LENGTH_MS ? null : (
          <small class="note">{say('order.later', { length: showLength(atMs - beforeMs) })}</small>
        )}
      </span>
      <span>
        <StepWords step={step} market={market} />
      </span>
      <RawData label={say('order.data')} data={data} />
    </li>
  );
}

const isState = (text: unknown): text is OrderItem['state'] =>
  typeof text === 'string' && Object.hasOwn(ORDER_STATE_TONES, text);

const fieldsOf = (data: unknown): Readonly<Record<string, unknown>> =>
  typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};

/** Shows the text of a step in the language of the page; only the kind for a step that is rare for orders. */
function StepWords({ step, market }: { readonly step: StepItem; readonly market: string }) {
  const names = knownMarket(market);
  const { kind, state, matched, amount, price, reason } = fieldsOf(step.data);
  if (step.kind === 'order' && isState(state)) {
    const isMatched = typeof matched === 'string' && matched !== '0' && state === 'open';
    return (
      <>
        <Badge tone={ORDER_STATE_TONES[state]}>{say(`orderState.${state}`)}</Badge>{' '}
        {isMatched ? say('order.matched', { amount: showExact(matched, names?.base ?? '') }) : null}
        {typeof reason === 'string' ? <Said text={reason} facts={step.said['reason']} /> : null}
      </>
    );
  }
  if (step.kind === 'fill' && typeof amount === 'string' && typeof price === 'string')
    return (
      <>
        <Badge tone="good">{say('column.fill')}</Badge>{' '}
        {say('order.fillAt', {
          amount: showExact(amount, names?.base ?? ''),
          price: showExact(price, names?.quote ?? ''),
        })}
      </>
    );
  return step.kind === 'intent' ? (
    <>
      <Badge tone="calm">{say('column.intent')}</Badge>{' '}
      {typeof kind === 'string' ? <NameWord area="kind" name={kind} /> : null}
      {typeof reason === 'string' ? <Said text={reason} facts={step.said['reason']} /> : null}
    </>
  ) : (
    <strong dir="ltr">{step.kind}</strong>
  );
}
