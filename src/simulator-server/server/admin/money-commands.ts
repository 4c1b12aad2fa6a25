import { z } from 'zod';
import { parseUnits } from '../../../domain/money.ts';
import { WITHDRAWAL_STATUSES } from '../../../simulator/rial-withdrawal.ts';
import { currencySymbol, positiveDecimal } from '../../config-fields.ts';
import { adminCommand, AdminRefusal, userOf } from './admin-command.ts';

const user = () => z.union([z.string().min(1), z.int()], { error: 'expected the name or number of a user' });

/** Money in, money out, and the bank's and the chain's part. */
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
      if (wallet === undefined || wallet.total < units) {
        throw new AdminRefusal(`expected at most what the wallet holds, was ${amount} ${currency}`);
      }
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
