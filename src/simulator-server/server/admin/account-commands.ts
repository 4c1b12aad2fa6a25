import { z } from 'zod';
import { parseUnits } from '../../../domain/money.ts';
import { WITHDRAWAL_STATUSES } from '../../../simulator/rial-withdrawal.ts';
import { currencySymbol, positiveDecimal } from '../../../simulator/setting-fields.ts';
import {
  adminCommand,
  type AdminCommand,
  AdminRefusal,
  userOf,
  adminOrderOf,
  type AdminContext,
} from './admin-command.ts';
import { viewOf } from '../../../simulator/order-list.ts';
import { orderJson } from '../../wire/order-records.ts';
import { readPlaceOrder } from '../../wire/request-fields.ts';
import type { SimulatedOrder } from '../../../simulator/market-state.ts';
import { FEATURES, VERIFICATIONS, userSettings } from '../../../simulator/user.ts';

const user = () => z.union([z.string().min(1), z.int()], { error: 'expected the name or number of a user' });

/** Commands for deposits, withdrawals, and events at the bank and on the chain. */
export const moneyCommands = [
  adminCommand({
    method: 'POST',
    path: '/deposit',
    summary: 'Announces a deposit; credited at once, or after `confirmations`.',
    input: z.strictObject({
      user: user(),
      currency: currencySymbol(),
      amount: positiveDecimal(),
      network: z.string().optional(),
      txHash: z.string().optional(),
      confirmations: z.int().min(0).max(1_000_000).default(0),
    }),
    run(context, { user: name, currency, amount, network, txHash, confirmations }) {
      const { services } = context.simulation.exchange;
      const { id: userId } = userOf(context, name);
      return services.deposits.create({
        userId,
        currency: services.currency(currency),
        units: parseUnits(amount),
        timeMs: context.tick(),
        network,
        txHash,
        requiredConfirmations: confirmations,
      });
    },
  }),
  adminCommand({
    method: 'POST',
    path: '/deposits/confirm',
    summary: 'Credits a deposit that waits for its confirmations.',
    input: z.strictObject({ id: z.int() }),
    run(context, { id }) {
      const isConfirmed = context.simulation.exchange.services.deposits.confirm(id, context.tick());
      if (!isConfirmed) throw new AdminRefusal(`expected the id of a waiting deposit, was ${id}`, 404);
      return { confirmed: id };
    },
  }),
  adminCommand({
    method: 'POST',
    path: '/withdraw',
    summary:
      'Takes money out of a wallet; the newest orders that it pays for are canceled until what is left covers the rest.',
    input: z.strictObject({ user: user(), currency: currencySymbol(), amount: positiveDecimal() }),
    run(context, { user: name, currency, amount }) {
      const { accounts, trading } = context.simulation.exchange;
      const { id: userId } = userOf(context, name);
      const units: bigint = parseUnits(amount);
      const timeMs = context.tick();
      const wallet = accounts.find(userId, currency);
      if (wallet === undefined || wallet.total < units)
        throw new AdminRefusal(`expected at most what the wallet holds, was ${amount} ${currency}`);
      trading.cancelUntilCovered(userId, currency, { needed: units, timeMs });
      if (wallet.free < units)
        throw new AdminRefusal(`expected ${amount} ${currency} free after all cancels`);
      return accounts.post(wallet, 'outside', { units: -units, description: 'Forced withdrawal', timeMs });
    },
  }),
  adminCommand({
    method: 'POST',
    path: '/withdrawals',
    summary: 'Puts an open rial withdrawal in another status, as the bank does.',
    input: z.strictObject({ id: z.string(), status: z.enum(WITHDRAWAL_STATUSES) }),
    run(context, { id, status }) {
      const moved = context.simulation.exchange.services.withdrawals.force(id, status, context.tick());
      if (moved === null) throw new AdminRefusal(`expected the id of an open withdrawal, was "${id}"`, 404);
      return moved;
    },
  }),
];

function shown(context: AdminContext, order: SimulatedOrder): Record<string, unknown> {
  return { userId: order.userId, ...orderJson(viewOf(order), context.simulation.adapter.forms) };
}

/** Makes a command that moves any user's order to another status. */
function move(act: 'cancel' | 'reject' | 'activate', summary: string): AdminCommand {
  return adminCommand({
    method: 'POST',
    path: `/orders/${act}`,
    summary,
    input: z.strictObject({ id: z.int().min(1) }),
    run(context, { id }) {
      const order = adminOrderOf(context, id);
      if (context.simulation.exchange.trading[act](order, context.tick()))
        return { order: shown(context, order) };
      throw new AdminRefusal(`expected order ${order.id} in another status, was ${order.status}`);
    },
  });
}

/** Commands for orders of any user, which change them without their owner's request. */
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
  move('cancel', 'Cancels an open order, and with it the other of an OCO.'),
  move('reject', 'Rejects an order that was accepted: it ends in the configured word that nobody knows.'),
  move('activate', 'Lets an order that is New enter the book.'),
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

/** Commands for users and their permissions. */
export const userCommands = [
  adminCommand({
    method: 'POST',
    path: '/users',
    summary: 'Adds a user, with the fields of the configuration.',
    input: userSettings,
    run(context, settings) {
      const { services } = context.simulation.exchange;
      const tokens = (settings.tokens ?? []).map((entry) =>
        typeof entry === 'string' ? entry : entry.token,
      );
      const keys = (settings.keys ?? []).map(({ publicKey }) => publicKey.replace(/=$/, ''));
      const timeMs = context.tick();
      const isInUse =
        new Set(tokens).size < tokens.length ||
        new Set(keys).size < keys.length ||
        services.users.findByName(settings.username) !== undefined ||
        (settings.id !== undefined && services.users.find(settings.id) !== undefined) ||
        tokens.some((token) => services.credentials.hasToken(token)) ||
        keys.some((publicKey) => services.credentials.keyOf(publicKey) !== undefined);
      if (isInUse)
        throw new AdminRefusal(
          `expected a name, id, tokens and keys not yet used, was "${settings.username}"`,
        );
      const { id, username } = services.addUser(settings, timeMs);
      return { id, username };
    },
  }),
  adminCommand({
    method: 'POST',
    path: '/users/permissions',
    summary:
      'Switches trading, the look-up by clientOrderId, the features and the verifications of a user on and off.',
    input: z.strictObject({
      user: user(),
      mayTrade: z.boolean().optional(),
      clientIdLookup: z.boolean().optional(),
      features: z.partialRecord(z.enum(FEATURES), z.boolean()).optional(),
      verifications: z.partialRecord(z.enum(VERIFICATIONS), z.boolean()).optional(),
    }),
    run(context, { user: name, mayTrade, clientIdLookup, features, verifications }) {
      const found = userOf(context, name);
      const trader = context.simulation.exchange.trading.trader(found.id);
      if (mayTrade !== undefined) trader.mayTrade = mayTrade;
      if (clientIdLookup !== undefined) trader.lacksClientIdLookup = !clientIdLookup;
      Object.assign(found.features, features);
      Object.assign(found.verifications, verifications);
      return {
        userId: found.id,
        mayTrade: trader.mayTrade,
        clientIdLookup: !trader.lacksClientIdLookup,
        features: found.features,
        verifications: found.verifications,
      };
    },
  }),
  adminCommand({
    method: 'POST',
    path: '/accounts/confirm',
    summary: "Confirms a user's bank account, by its id in the profile, so that withdrawals may go there.",
    input: z.strictObject({ user: user(), id: z.int() }),
    run(context, { user: name, id }) {
      const found = userOf(context, name);
      if (found.confirmAccount(id)) return { userId: found.id, bankAccounts: found.bankAccounts };
      const known = found.bankAccounts.map((account) => account.id).join(', ');
      throw new AdminRefusal(
        `expected the id of a bank account of "${found.username}" (${known}), was ${id}`,
        404,
      );
    },
  }),
  adminCommand({
    method: 'POST',
    path: '/cards/confirm',
    summary: "Confirms a user's bank card, by its number.",
    input: z.strictObject({ user: user(), number: z.string().min(1) }),
    run(context, { user: name, number }) {
      const found = userOf(context, name);
      if (found.confirmCard(number)) return { userId: found.id, bankCards: found.bankCards };
      const known = found.bankCards.map((card) => card.number).join(', ');
      throw new AdminRefusal(
        `expected the number of a card of "${found.username}" (${known}), was "${number}"`,
        404,
      );
    },
  }),
  adminCommand({
    method: 'POST',
    path: '/users/revoke',
    summary: "Ends one token of a user, or, without one, every token of the user's log-ins.",
    input: z.strictObject({ user: user(), token: z.string().min(1).optional() }),
    run(context, { user: name, token }) {
      const { id } = userOf(context, name);
      const { credentials } = context.simulation.exchange.services;
      const timeMs = context.tick();
      if (token === undefined) return { userId: id, revoked: credentials.revokeLogins(id) };
      if (credentials.callerOfToken(token, timeMs)?.userId !== id)
        throw new AdminRefusal(`expected a token of the user ${id} that is still valid`);
      return { userId: id, revoked: Number(credentials.revoke(token)) };
    },
  }),
  adminCommand({
    method: 'GET',
    path: '/users',
    summary: 'All users.',
    input: z.strictObject({}),
    run: (context) => ({
      users: [...context.simulation.exchange.services.users.all()].map(
        ({ id, username, level, features }) => ({
          id,
          username,
          level,
          features,
        }),
      ),
    }),
  }),
];
