import { Button, Choices } from '../parts/words.tsx';
import { useSignal } from '@preact/signals';
import { askFor, openDialog } from '../actions/action.ts';
import type { OrderItem } from '../../schema/order.ts';
import { PagedList } from '../parts/data-table.tsx';
import { Panel } from '../parts/panel.tsx';
import { t } from '../translate.ts';
import { mayOperate } from '../session.ts';
import { MarketAndStrategy, useMarketAndStrategy } from './filters.tsx';
import { orderColumns } from './orders-table.tsx';

export function OrdersView() {
  const state = useSignal<'open' | 'all'>('open');
  const filter = useMarketAndStrategy();
  const { market, strategy } = filter.value;
  const isNarrow = market !== '' || strategy !== '';
  const cancelAll = (): void =>
    askFor(
      {
        kind: 'cancel',
        body: isNarrow
          ? { ...(market === '' ? {} : { market }), ...(strategy === '' ? {} : { strategy }) }
          : { isAll: true },
      },
      isNarrow ? [strategy, market].filter((part) => part !== '').join(' · ') : null,
    );
  return (
    <>
      <header class="view-head">
        <h1>{t('view.orders')}</h1>
        <Choices
          label={t('column.state')}
          choices={['open', 'all']}
          chosen={state}
          shown={(each) => t(`orders.${each}`)}
        />
        <MarketAndStrategy filter={filter} />
        {mayOperate() ? (
          <span class="head-actions">
            <Button
              text="action.order.do"
              onClick={() => (openDialog.value = { asks: 'order', market: null })}
            />
            <Button
              text={isNarrow ? 'orders.cancelThese' : 'orders.cancelAll'}
              class="danger"
              onClick={cancelAll}
            />
          </span>
        ) : null}
      </header>
      <Panel title={t(`orders.${state.value}`)}>
        <PagedList<OrderItem>
          path="/orders"
          query={{ state: state.value, market, strategy }}
          label={t('view.orders')}
          empty={t('orders.none')}
          columns={orderColumns(false)}
          keyOf={({ key }) => key}
        />
      </Panel>
    </>
  );
}
