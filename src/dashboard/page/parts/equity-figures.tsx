import { Figure } from './data-table.tsx';
import type { EquityItem } from '../../schema/overview.ts';
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
      <Figure says="overview.now" class="main-figure">
        {showMoney(now, currency)}
      </Figure>
      <Figure says="overview.today">
        <Gain amount={day} currency={currency} />
      </Figure>
      <Figure says="overview.total">
        <Gain amount={total} currency={currency} />
      </Figure>
    </>
  );
}
