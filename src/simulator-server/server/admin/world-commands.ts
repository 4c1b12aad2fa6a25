import { z } from 'zod';
import { FaultPlan, faultSettings } from '../../fault-plan.ts';
import { defined, feePercent } from '../../market-config.ts';
import { decimalAmount, positiveDecimal } from '../../../simulator/setting-fields.ts';
import { adminCommand, AdminRefusal, type AdminContext, marketOf, userOf } from './admin-command.ts';
import { formatRatePercent, ratesOf, type FeeRates } from '../../../domain/market.ts';
import { formatUnits } from '../../../domain/money.ts';
import type { MarketState } from '../../../simulator/market-state.ts';
import type { Wallet } from '../../../simulator/accounts.ts';
import { stateJson, storeExchange } from '../../exchange-state.ts';

/** Longest single advance of the clock: a year, in ms. */
const LONGEST_ADVANCE_MS = 366 * 86_400_000;

function setPlan(context: AdminContext, plan: FaultPlan): unknown {
  context.simulation.faulty.plan = plan;
  context.clock.skewMs = plan.clockSkewMs;
  return { faults: plan.settings };
}

const clockOf = (context: AdminContext): unknown => ({
  timeMs: context.tick(),
  isFrozen: context.clock.isFrozen,
});

/** Commands for the clock and the faults. */
export const clockCommands = [
  adminCommand({
    method: 'GET',
    path: '/clock',
    summary: "The exchange's time.",
    input: z.strictObject({}),
    run: clockOf,
  }),
  adminCommand({
    method: 'POST',
    path: '/clock',
    summary: 'Moves the clock on, and freezes it or lets it run.',
    input: z.strictObject({
      advanceMs: z.int().min(0).max(LONGEST_ADVANCE_MS).optional(),
      frozen: z.boolean().optional(),
    }),
    run(context, { advanceMs, frozen }) {
      if (frozen === true) context.clock.freeze();
      if (frozen === false) context.clock.unfreeze();
      if (advanceMs !== undefined) context.clock.advance(advanceMs);
      return clockOf(context);
    },
  }),
  adminCommand({
    method: 'GET',
    path: '/faults',
    summary: 'What is set to go wrong.',
    input: z.strictObject({}),
    run: (context) => ({ faults: context.simulation.faulty.plan.settings }),
  }),
  adminCommand({
    method: 'POST',
    path: '/faults',
    summary: 'Sets what goes wrong from now on, in place of what was set before.',
    input: faultSettings,
    run(context, settings) {
      const lags = settings.rules?.some(({ kind }) => kind === 'lagging-lists') === true;
      if (lags && !context.simulation.exchange.trading.settings.recordVersions)
        throw new AdminRefusal(
          'expected trading.recordVersions true in the configuration for lagging lists, was false',
        );
      return setPlan(context, new FaultPlan(defined(settings)));
    },
  }),
  adminCommand({
    method: 'DELETE',
    path: '/faults',
    summary: 'Nothing goes wrong any more.',
    input: z.strictObject({}),
    run: (context) => setPlan(context, new FaultPlan()),
  }),
];

const user = () => z.union([z.string().min(1), z.int()], { error: 'expected the name or number of a user' });
const rates = () => z.strictObject({ maker: feePercent(), taker: feePercent() });

function shownMarket(market: MarketState): Record<string, unknown> {
  const { rules, isClosed, closedReason } = market;
  return {
    symbol: rules.symbol,
    isClosed,
    closedReason,
    priceStep: formatUnits(rules.priceStep),
    amountStep: formatUnits(rules.amountStep),
    minOrderValue: formatUnits(rules.minOrderValue),
    version: rules.version,
  };
}

/** Commands that close and change markets, and set fees. */
export const marketCommands = [
  adminCommand({
    method: 'POST',
    path: '/markets',
    summary: 'Closes or opens a market, or changes its steps and minimum value.',
    input: z.strictObject({
      symbol: z.string(),
      closed: z.boolean().optional(),
      closedReason: z.string().optional(),
      priceStep: positiveDecimal().optional(),
      amountStep: positiveDecimal().optional(),
      minOrderValue: decimalAmount().optional(),
    }),
    run(context, { symbol, closed, closedReason, priceStep, amountStep, minOrderValue }) {
      const market = marketOf(context, symbol);
      context.tick();
      if (priceStep !== undefined || amountStep !== undefined || minOrderValue !== undefined)
        market.changeRules({
          ...(priceStep === undefined ? {} : { priceStep }),
          ...(amountStep === undefined ? {} : { amountStep }),
          ...(minOrderValue === undefined ? {} : { minOrderValue }),
        });
      if (closed !== undefined) {
        market.isClosed = closed;
        market.closedReason = closed ? (closedReason ?? 'closed by the administrator') : null;
      }
      return shownMarket(market);
    },
  }),
  adminCommand({
    method: 'GET',
    path: '/markets',
    summary: 'All markets with their rules.',
    input: z.strictObject({}),
    run: (context) => ({ markets: [...context.simulation.exchange.markets.values()].map(shownMarket) }),
  }),
  adminCommand({
    method: 'POST',
    path: '/fees',
    summary: 'Sets the fees, in percent, of one user or of all there are.',
    input: z.strictObject({ user: user().optional(), rls: rates().optional(), usdt: rates().optional() }),
    run(context, { user: name, rls, usdt }) {
      const { trading, services } = context.simulation.exchange;
      if (rls === undefined && usdt === undefined)
        throw new AdminRefusal('expected rls, usdt or both, was neither');
      const users = name === undefined ? [...services.users.all()] : [userOf(context, name)];
      const traders = users.map(({ id }) => trading.trader(id));
      for (const trader of traders) {
        trader.fees = {
          rls: rls ?? ratesOf(trader.fees, 'rls'),
          usdt: usdt ?? ratesOf(trader.fees, 'usdt'),
        };
      }
      return {
        fees: traders.map(({ userId, fees }) => ({
          userId,
          rls: percents(ratesOf(fees, 'rls')),
          usdt: percents(ratesOf(fees, 'usdt')),
        })),
      };
    },
  }),
];

function percents({ maker, taker }: FeeRates): Readonly<Record<keyof FeeRates, string>> {
  return { maker: formatRatePercent(maker), taker: formatRatePercent(taker) };
}

const count = (most: number, otherwise: number) =>
  z.coerce.number().int().min(0).max(most).default(otherwise);

function shownWallet(wallet: Wallet, transactions: number): Record<string, unknown> {
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
        wallets: [...accounts.allWallets()].map((wallet) => shownWallet(wallet, transactions)),
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
      return JSON.parse(stateJson(storeExchange(context.simulation.exchange))) as unknown;
    },
  }),
];
