import { askFor } from '../actions/action.ts';
import { ORDER_STATE_TONES } from '../order-state-tones.ts';
import type { OrderItem } from '../../schema/order.ts';
import { knownMarket } from '../markets.ts';
import { DataTable, type DataColumn } from '../parts/data-table.tsx';
import { Age, Badge, NameLink, SideWord } from '../parts/words.tsx';
import { say } from '../say.ts';
import { mayOperate } from '../session.ts';
import { showExact, showNumber } from '../shown.ts';

export function OrderStateBadge({ order }: { readonly order: OrderItem }) {
  return <Badge tone={ORDER_STATE_TONES[order.state]}>{say(`orderState.${order.state}`)}</Badge>;
}

/** Shows the price of an order: its limit, its stop, or the market. */
export function OrderPrice({ order }: { readonly order: OrderItem }) {
  const quote = knownMarket(order.market)?.quote ?? '';
  const { price, stopPrice } = order;
  return (
    <>
      {price === null ? say('execution.market') : showExact(price, quote)}
      {stopPrice === null ? null : (
        <span class="note line">{say('order.stopAt', { price: showExact(stopPrice, quote) })}</span>
      )}
    </>
  );
}

/** True if canceling the order makes sense. */
export const isAtWork = ({ state }: OrderItem): boolean =>
  !['filled', 'cancelled', 'rejected', 'cancelling', 'settling'].includes(state);

export function orderColumns(isShort: boolean): readonly DataColumn<OrderItem>[] {
  const columns: readonly (DataColumn<OrderItem> & { readonly isLong?: boolean })[] = [
    {
      key: 'time',
      head: say('column.time'),
      isShort: true,
      isLong: true,
      cell: ({ plannedAtMs }) => <Age atMs={plannedAtMs} />,
    },
    {
      key: 'order',
      isShort: true,
      head: say('column.order'),
      isTitle: true,
      cell: (order) => (
        <>
          <SideWord side={order.side} /> <NameLink view="order" name={order.key} />
        </>
      ),
    },
    {
      key: 'market',
      head: say('column.market'),
      isLong: true,
      cell: ({ market }) => <NameLink view="market" name={market} />,
    },
    {
      key: 'strategy',
      head: say('column.strategy'),
      isLong: true,
      cell: ({ strategy }) => <NameLink view="strategy" name={strategy} />,
    },
    {
      key: 'price',
      head: say('column.price'),
      isNumber: true,
      cell: (order) => <OrderPrice order={order} />,
    },
    {
      key: 'amount',
      head: say('column.amount'),
      isNumber: true,
      cell: ({ amount, market }) => showExact(amount, knownMarket(market)?.base ?? ''),
    },
    {
      key: 'filled',
      head: say('column.filled'),
      isNumber: true,
      isLong: true,
      cell: ({ filled }) => showNumber(filled),
    },
    { key: 'state', head: say('column.state'), cell: (order) => <OrderStateBadge order={order} /> },
    {
      key: 'do',
      head: say('column.actions'),
      cell: (order) =>
        mayOperate() && isAtWork(order) ? (
          <button
            type="button"
            onClick={() =>
              askFor({ kind: 'cancel', body: { order: order.key } }, `${order.market} · ${order.key}`)
            }
          >
            {say('action.cancel.one')}
          </button>
        ) : null,
    },
  ];
  return columns.filter(({ isLong }) => !isShort || isLong !== true);
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
      empty={say('orders.none')}
    />
  );
}
