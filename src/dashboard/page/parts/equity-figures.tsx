import type { EquityItem } from '../../schema/overview.ts';
import { say } from '../say.ts';
import { showMoney } from '../shown.ts';
import { Gain } from './words.tsx';

/** Equity now, and the profit of the day and in all: the figures of a list that may have more. */
export function EquityFigures({
  equity,
}: {
  readonly equity: Pick<EquityItem, 'currency' | 'now' | 'day' | 'total'>;
}) {
  const { currency, now, day, total } = equity;
  return (
    <>
      <div>
        <dt>{say('overview.now')}</dt>
        <dd class="main-figure">{showMoney(now, currency)}</dd>
      </div>
      <div>
        <dt>{say('overview.today')}</dt>
        <dd>
          <Gain amount={day} currency={currency} />
        </dd>
      </div>
      <div>
        <dt>{say('overview.total')}</dt>
        <dd>
          <Gain amount={total} currency={currency} />
        </dd>
      </div>
    </>
  );
}
