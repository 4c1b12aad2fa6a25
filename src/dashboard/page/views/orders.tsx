import { Button, Choices, Age, Badge, NameLink, SideWord } from '../parts/words.tsx';
import { useSignal } from '@preact/signals';
import { askFor, openDialog } from '../actions/action.ts';
import type { OrderItem } from '../../schema/order.ts';
import { PagedList, column, type DataColumn, DataTable } from '../parts/data-table.tsx';
import { Panel } from '../parts/panel.tsx';
import { t, type TextKey } from '../translate.ts';
import { mayOperate } from '../session.ts';
import { MarketAndStrategy, useMarketAndStrategy } from '../actions/field.tsx';
import { knownMarket } from '../overview.ts';
import { showExact, showNumber } from '../shown.ts';

export function OrdersView() {
  const state = useSignal<'open' | 'all'>('open');
  const filter = useMarketAndStrategy();
  const [market, strategy] = [filter.market.value, filter.strategy.value];
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
          label="column.state"
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
          label="view.orders"
          empty="orders.none"
          columns={orderColumns(false)}
          keyOf={({ key }) => key}
        />
      </Panel>
    </>
  );
}

export const ORDER_STATE_TONES: Readonly<Record<OrderItem['state'], 'good' | 'bad' | 'warn' | 'calm'>> = {
  planned: 'calm',
  sending: 'calm',
  unknown: 'bad',
  open: 'warn',
  cancelling: 'calm',
  settling: 'calm',
  filled: 'good',
  cancelled: 'calm',
  rejected: 'bad',
};

export function OrderStateBadge({ order }: { readonly order: OrderItem }) {
  return <Badge tone={ORDER_STATE_TONES[order.state]}>{t(`orderState.${order.state}`)}</Badge>;
}

/** Shows the price of an order: its limit, its stop, or the market. */
export function OrderPrice({ order }: { readonly order: OrderItem }) {
  const quote = knownMarket(order.market)?.quote ?? '';
  const { price, stopPrice } = order;
  return (
    <>
      {price === null ? t('execution.market') : showExact(price, quote)}
      {stopPrice === null ? null : (
        <span class="note line">{t('order.stopAt', { price: showExact(stopPrice, quote) })}</span>
      )}
    </>
  );
}

/** True if canceling the order makes sense. */
export const isAtWork = ({ state }: OrderItem): boolean =>
  !['filled', 'cancelled', 'rejected', 'cancelling', 'settling'].includes(state);

function orderColumns(isShort: boolean): readonly DataColumn<OrderItem>[] {
  /** Returns columns that are left out of a short table. */
  const long = (...columns: readonly DataColumn<OrderItem>[]) => (isShort ? [] : columns);
  return [
    ...long(column('column.time', ({ plannedAtMs }) => <Age atMs={plannedAtMs} />, 'short')),
    column(
      'column.order',
      (order) => (
        <>
          <SideWord side={order.side} /> <NameLink view="order" name={order.key} />
        </>
      ),
      'short',
      'title',
    ),
    ...long(
      column('column.market', ({ market }) => <NameLink view="market" name={market} />),
      column('column.strategy', ({ strategy }) => <NameLink view="strategy" name={strategy} />),
    ),
    column('column.price', (order) => <OrderPrice order={order} />, 'number'),
    column(
      'column.amount',
      ({ amount, market }) => showExact(amount, knownMarket(market)?.base ?? ''),
      'number',
    ),
    ...long(column('column.filled', ({ filled }) => showNumber(filled), 'number')),
    column('column.state', (order) => <OrderStateBadge order={order} />),
    column('column.actions', (order) =>
      mayOperate() && isAtWork(order) ? (
        <Button
          text="action.cancel.one"
          onClick={() =>
            askFor({ kind: 'cancel', body: { order: order.key } }, `${order.market} · ${order.key}`)
          }
        />
      ) : null,
    ),
  ];
}

interface OrdersTableProps {
  readonly orders: readonly OrderItem[];
  readonly label: TextKey;
  readonly isShort?: boolean;
}

export function OrdersTable({ orders, label, isShort = false }: OrdersTableProps) {
  return (
    <DataTable
      label={label}
      columns={orderColumns(isShort)}
      rows={orders}
      keyOf={({ key }) => key}
      empty="orders.none"
    />
  );
}
