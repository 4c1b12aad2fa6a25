import { z } from 'zod';
import { formatUnits } from '../../../domain/money.ts';
import type { Wallet } from '../../../simulator/wallet.ts';
import { storeExchange } from '../../exchange-state.ts';
import { adminCommand } from './admin-command.ts';

const count = (most: number, otherwise: number) =>
  z.coerce.number().int().min(0).max(most).default(otherwise);

function shown(wallet: Wallet, transactions: number): Record<string, unknown> {
  const { id, userId, currency, kind, total, held } = wallet;
  const newest = transactions === 0 ? [] : wallet.transactions.values().slice(-transactions);
  return {
    id,
    userId,
    currency,
    kind,
    total: formatUnits(total),
    held: formatUnits(held),
    transactions: newest.map(
      ({ id: transactionId, timeMs, units, balanceAfter, fee, description, tradeId }) => ({
        id: transactionId,
        timeMs,
        amount: formatUnits(units),
        balanceAfter: formatUnits(balanceAfter),
        fee: formatUnits(fee),
        description,
        tradeId,
      }),
    ),
  };
}

/** Commands for data that only an administrator sees. */
export const readCommands = [
  adminCommand({
    method: 'GET',
    path: '/ledger',
    summary:
      'All wallets with their newest transactions, the house accounts, and what each currency adds up to: zero.',
    input: z.strictObject({ transactions: count(10_000, 100) }),
    run(context, { transactions }) {
      const { accounts } = context.simulation.exchange;
      const timeMs = context.tick();
      const house = [...accounts.houseCurrencies()].map((currency) => {
        const { fees, outside, rounding } = accounts.houseOf(currency);
        return {
          currency,
          fees: formatUnits(fees),
          outside: formatUnits(outside),
          rounding: formatUnits(rounding),
          imbalance: formatUnits(accounts.imbalanceOf(currency)),
        };
      });
      return {
        timeMs,
        wallets: [...accounts.allWallets()].map((wallet) => shown(wallet, transactions)),
        house,
      };
    },
  }),
  adminCommand({
    method: 'GET',
    path: '/requests',
    summary: 'The request log, oldest first, after number `after`.',
    input: z.strictObject({ after: count(Number.MAX_SAFE_INTEGER, 0), limit: count(100_000, 1_000) }),
    run(context, { after, limit }) {
      const { log } = context.simulation.adapter;
      const found = log.values().filter(({ number }) => number > after);
      return { count: log.count, requests: found.slice(0, limit), hasNext: found.length > limit };
    },
  }),
  adminCommand({
    method: 'GET',
    path: '/state',
    summary: 'Everything that a state file would hold.',
    input: z.strictObject({}),
    run(context) {
      context.tick();
      return storeExchange(context.simulation.exchange);
    },
  }),
];
