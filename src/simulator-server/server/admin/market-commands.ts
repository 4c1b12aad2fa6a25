import { z } from 'zod';
import { formatRatePercent, ratesOf, type FeeRates } from '../../../domain/fee-schedule.ts';
import { formatUnits } from '../../../domain/money.ts';
import type { MarketState } from '../../../simulator/market-state.ts';
import { decimalAmount, feePercent, positiveDecimal } from '../../config-fields.ts';
import { adminCommand, AdminRefusal, marketOf, userOf } from './admin-command.ts';

const user = () => z.union([z.string().min(1), z.int()], { error: 'expected the name or number of a user' });
const rates = () => z.strictObject({ maker: feePercent(), taker: feePercent() });

function shown(market: MarketState): Record<string, unknown> {
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

/** Markets that close and change, and fees. */
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
      if (priceStep !== undefined || amountStep !== undefined || minOrderValue !== undefined) {
        market.changeRules({
          ...(priceStep === undefined ? {} : { priceStep }),
          ...(amountStep === undefined ? {} : { amountStep }),
          ...(minOrderValue === undefined ? {} : { minOrderValue }),
        });
      }
      if (closed !== undefined) {
        market.isClosed = closed;
        market.closedReason = closed ? (closedReason ?? 'closed by the administrator') : null;
      }
      return shown(market);
    },
  }),
  adminCommand({
    method: 'GET',
    path: '/markets',
    summary: 'All markets with their rules.',
    input: z.strictObject({}),
    run: (context) => ({ markets: [...context.simulation.exchange.markets.values()].map(shown) }),
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
