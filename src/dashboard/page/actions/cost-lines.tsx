import type { CostReply } from '../../schema/action.ts';
import { SideWord } from '../parts/words.tsx';
import { knownMarket } from '../markets.ts';
import { say } from '../say.ts';
import { showBothUnits, showExact, showLength, showName } from '../shown.ts';
import type { PageAction } from './action.ts';

interface CostLinesProps {
  readonly action: PageAction;
  readonly cost: CostReply | null;
}

/**
 * Shows the cost of an action before it is confirmed: orders, requests, and the time it needs under the
 * budget.
 */
export function CostLines({ action, cost }: CostLinesProps) {
  if (cost === null) return null;
  const { cancelCount, places, requests, limit, windowMs, seconds } = cost;
  const isFree = requests === 0;
  return (
    <div class="cost">
      <h3>{say('cost.title')}</h3>
      <ul>
        {cancelCount === 0 ? null : <li>{say('cost.cancels', { count: cancelCount })}</li>}
        {places.map((place, index) => (
          <PlaceLine key={index} place={place} />
        ))}
        <li>
          {isFree ? say('cost.free') : say('cost.requests', { count: requests })}
          {limit === null || windowMs === null || isFree
            ? null
            : ` ${say('cost.pace', { limit, window: showLength(windowMs), length: showLength(seconds * 1_000) })}`}
        </li>
        {action.kind === 'order' ? <OrderMoney action={action} /> : null}
      </ul>
    </div>
  );
}

function PlaceLine({ place }: { readonly place: CostReply['places'][number] }) {
  const { market, side, amount, isReduceOnly, value, currency } = place;
  const base = knownMarket(market)?.base ?? '';
  return (
    <li>
      <SideWord side={side} /> {showExact(amount, base)} {say('cost.inMarket', { market: showName(market) })}
      {value === null || currency === null
        ? null
        : ` ${say('cost.worth', { value: showBothUnits(value, currency, true) })}`}
      {isReduceOnly ? ` ${say('cost.reduceOnly')}` : null}
    </li>
  );
}

/** Prices that were typed, in both units, so that a zero too many is seen. */
function OrderMoney({ action }: { readonly action: Extract<PageAction, { kind: 'order' }> }) {
  const quote = knownMarket(action.body.market)?.quote;
  if (quote === undefined) return null;
  const { price = null, stopPrice = null } = action.body;
  return (
    <>
      {price === null ? null : <li>{say('cost.price', { price: showBothUnits(price, quote) })}</li>}
      {stopPrice === null ? null : (
        <li>{say('cost.stopPrice', { price: showBothUnits(stopPrice, quote) })}</li>
      )}
    </>
  );
}
