import { askFor } from '../actions/action.ts';
import type { OrderItem } from '../../schema/order.ts';
import { knownMarket } from '../overview.ts';
import { column, type DataColumn, DataTable } from '../parts/data-table.tsx';
import { Age, Badge, Button, NameLink, SideWord } from '../parts/words.tsx';
import { t } from '../translate.ts';
import { mayOperate } from '../session.ts';
import { showExact, showNumber } from '../shown.ts';

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

export function orderColumns(isShort: boolean): readonly DataColumn<OrderItem>[] {
  /** Columns that a short table leaves out. */
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
  readonly label: string;
  readonly isShort?: boolean;
}

export function OrdersTable({ orders, label, isShort = false }: OrdersTableProps) {
  return (
    <DataTable
      label={label}
      columns={orderColumns(isShort)}
      rows={orders}
      keyOf={({ key }) => key}
      empty={t('orders.none')}
    />
  );
}
