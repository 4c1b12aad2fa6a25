import { z } from 'zod';
import { viewOf } from '../../../simulator/order-list.ts';
import { orderJson } from '../../wire/order-records.ts';
import { readPlaceOrder } from '../../wire/read-place-order.ts';
import { adminCommand, AdminRefusal, adminOrderOf, userOf, type AdminContext } from './admin-command.ts';
import type { SimulatedOrder } from '../../../simulator/market-state.ts';

const user = () => z.union([z.string().min(1), z.int()], { error: 'expected the name or number of a user' });
const id = () => z.strictObject({ id: z.int().min(1) });

function shown(context: AdminContext, order: SimulatedOrder): Record<string, unknown> {
  return { userId: order.userId, ...orderJson(viewOf(order), context.simulation.adapter.forms) };
}

function moved(context: AdminContext, order: SimulatedOrder, hasMoved: boolean): unknown {
  if (!hasMoved) throw new AdminRefusal(`expected order ${order.id} in another status, was ${order.status}`);
  return { order: shown(context, order) };
}

/** Orders of any user, and what happens to them behind their owners' backs. */
export const orderCommands = [
  adminCommand({
    method: 'POST',
    path: '/orders',
    summary: 'Places an order as a user, with the fields of the interface and without its limits.',
    input: z.looseObject({ user: user() }),
    run(context, { user: name, ...fields }) {
      const { exchange } = context.simulation;
      const { id: userId } = userOf(context, name);
      const timeMs = context.tick();
      const request = readPlaceOrder({ pro: true, ...fields }, exchange);
      if (!request.ok) throw new AdminRefusal(`${request.code}: ${request.message}`);
      const placed = exchange.trading.place(userId, request.value, timeMs);
      if (!placed.ok) throw new AdminRefusal(`${placed.code}: ${placed.message}`);
      return { orders: placed.value.map((order) => shown(context, order)) };
    },
  }),
  adminCommand({
    method: 'GET',
    path: '/orders',
    summary: 'Orders of one user or of all; the open ones, or with `all=yes` those that ended too.',
    input: z.strictObject({ user: z.string().optional(), all: z.enum(['yes', 'no']).default('no') }),
    run(context, { user: name, all }) {
      const { trading } = context.simulation.exchange;
      const traders =
        name === undefined ? [...trading.allTraders()] : [trading.trader(userOf(context, name).id)];
      const orders = traders.flatMap((trader) =>
        all === 'yes' ? trader.orders.values() : trader.open.values(),
      );
      return { orders: orders.map((order) => shown(context, order)) };
    },
  }),
  adminCommand({
    method: 'POST',
    path: '/orders/cancel',
    summary: 'Cancels an open order, and with it the other of an OCO.',
    input: id(),
    run(context, input) {
      const order = adminOrderOf(context, input.id);
      return moved(context, order, context.simulation.exchange.trading.cancel(order, context.tick()));
    },
  }),
  adminCommand({
    method: 'POST',
    path: '/orders/reject',
    summary: 'Rejects an order that was accepted: it ends in the configured word that nobody knows.',
    input: id(),
    run(context, input) {
      const order = adminOrderOf(context, input.id);
      return moved(context, order, context.simulation.exchange.trading.reject(order, context.tick()));
    },
  }),
  adminCommand({
    method: 'POST',
    path: '/orders/activate',
    summary: 'Lets an order that is New enter the book.',
    input: id(),
    run(context, input) {
      const order = adminOrderOf(context, input.id);
      return moved(context, order, context.simulation.exchange.trading.activate(order, context.tick()));
    },
  }),
  adminCommand({
    method: 'POST',
    path: '/orders/new-first',
    summary: 'Lets accepted orders stay New for a time before they enter the book; 0: not at all.',
    input: z.strictObject({ newForMs: z.int().min(0) }),
    run(context, { newForMs }) {
      // The settings belong to the exchange, which reads them at each placement.
      Object.assign(context.simulation.exchange.trading.settings, { newForMs });
      return { newForMs };
    },
  }),
];
