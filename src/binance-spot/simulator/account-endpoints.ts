import { divideDown, unitsOf } from '../../domain/money.ts';
import type { DecimalText } from '../../domain/decimal-text.ts';
import { accountGet, type SpotEndpoint } from './endpoint.ts';
import { exchangeFilters, inRange, listed } from './market-endpoints.ts';
import { moneyOf, shownFilters } from './market-rules.ts';
import { tradeRow } from './rows.ts';
import { checkDay } from './order-endpoints.ts';
import { trueOrFalse, instant, limitParameter, long, optionalParameter, symbolText } from './parameters.ts';
import { refusals } from './refusal.ts';

/** Rate of an old field of `account`: whole hundredths of a percent. */
const basisPoints = (rate: DecimalText): number =>
  Number(divideDown(unitsOf(rate), unitsOf('0.0001' as DecimalText)));

export const ACCOUNT_ENDPOINTS: readonly SpotEndpoint[] = [
  accountGet('account', {
    weight: 20,
    parameters: { omitZeroBalances: optionalParameter(trueOrFalse()) },
    handle({ account, engine, time }, { omitZeroBalances = false }) {
      const { settings } = account;
      const { maker, taker, buyer, seller } = settings.standardCommission;
      const assets = [...engine.markets.values()].flatMap(({ rules }) => [rules.base, rules.quote]);
      const balances = [...new Set([...account.wallets.keys(), ...assets])]
        .map((asset) => ({ asset, ...(account.wallets.get(asset) ?? { free: 0n, locked: 0n }) }))
        .filter(({ free, locked }) => !omitZeroBalances || free + locked > 0n);
      return {
        makerCommission: basisPoints(maker),
        takerCommission: basisPoints(taker),
        buyerCommission: basisPoints(buyer),
        sellerCommission: basisPoints(seller),
        commissionRates: {
          maker: moneyOf(unitsOf(maker)),
          taker: moneyOf(unitsOf(taker)),
          buyer: moneyOf(unitsOf(buyer)),
          seller: moneyOf(unitsOf(seller)),
        },
        canTrade: settings.mayTrade,
        canWithdraw: true,
        canDeposit: true,
        brokered: false,
        requireSelfTradePrevention: false,
        preventSor: false,
        updateTime: time(account.updatedMs),
        accountType: 'SPOT',
        balances: balances.map(({ asset, free, locked }) => ({
          asset,
          free: moneyOf(free),
          locked: moneyOf(locked),
        })),
        permissions: ['SPOT'],
        uid: settings.uid,
        ...(settings.tradeGroupId === -1 ? {} : { tradeGroupId: settings.tradeGroupId }),
      };
    },
  }),
  accountGet('myTrades', {
    weight: (sent) => (sent.has('orderId') ? 5 : 20),
    parameters: {
      symbol: symbolText(),
      orderId: optionalParameter(long()),
      startTime: optionalParameter(instant()),
      endTime: optionalParameter(instant()),
      fromId: optionalParameter(long()),
      limit: limitParameter(1_000),
    },
    check({ orderId, startTime, endTime, fromId }) {
      const hasTimes = startTime !== undefined || endTime !== undefined;
      if (hasTimes && (orderId !== undefined || fromId !== undefined)) throw refusals.combination();
      checkDay(startTime, endTime);
    },
    handle(context, { symbol, orderId, startTime, endTime, fromId, limit = 500 }) {
      context.market(symbol);
      const { nowMs, asOfMs, time } = context;
      const seen = context.account
        .history(symbol)
        .fills.filter(
          (fill) =>
            fill.timeMs <= asOfMs &&
            (orderId === undefined || fill.order.id === orderId) &&
            fill.tradeId >= (fromId ?? 0),
        );
      const [startMs, endMs] = [inRange(startTime, nowMs), inRange(endTime, nowMs)];
      const rows =
        fromId === undefined
          ? listed(seen, { startMs, endMs, limit, timeOf: (fill) => fill.timeMs })
          : seen.slice(0, limit);
      return rows.map((fill) => tradeRow(fill, time));
    },
  }),
  accountGet('rateLimit/order', {
    weight: 40,
    parameters: {},
    handle: ({ orderCount, nowMs }) => orderCount.rows(nowMs),
  }),
  accountGet('myPreventedMatches', {
    weight: (sent) => (sent.has('orderId') ? 20 : 2),
    parameters: {
      symbol: symbolText(),
      preventedMatchId: optionalParameter(long()),
      orderId: optionalParameter(long()),
      fromPreventedMatchId: optionalParameter(long()),
      limit: limitParameter(1_000),
    },
    check({ preventedMatchId, orderId, fromPreventedMatchId }) {
      if (preventedMatchId === undefined && orderId === undefined)
        throw refusals.oneOf('preventedMatchId', 'orderId');
      if (preventedMatchId !== undefined && (orderId !== undefined || fromPreventedMatchId !== undefined))
        throw refusals.combination();
    },
    handle(context, { symbol, preventedMatchId, orderId, fromPreventedMatchId = 0, limit = 500 }) {
      const { account, time } = context;
      return context
        .market(symbol)
        .prevented.filter(
          (match) =>
            (match.taker.account === account || match.maker.account === account) &&
            (preventedMatchId === undefined || match.preventedMatchId === preventedMatchId) &&
            (orderId === undefined || match.taker.id === orderId || match.maker.id === orderId) &&
            match.preventedMatchId >= fromPreventedMatchId,
        )
        .slice(0, limit)
        .map(({ taker, maker, timeMs, makerOrderId, preventedMatchId: id, ...amounts }) => ({
          symbol,
          preventedMatchId: id,
          takerOrderId: taker.id,
          makerSymbol: maker.market.rules.symbol,
          makerOrderId,
          tradeGroupId: account.settings.tradeGroupId,
          selfTradePreventionMode: taker.request.stpMode,
          ...amounts,
          transactTime: time(timeMs),
        }));
    },
  }),
  accountGet('myAllocations', {
    weight: 20,
    parameters: {
      symbol: symbolText(),
      startTime: optionalParameter(instant()),
      endTime: optionalParameter(instant()),
      fromAllocationId: optionalParameter(long()),
      orderId: optionalParameter(long()),
      limit: limitParameter(1_000),
    },
    check: ({ startTime, endTime }) => checkDay(startTime, endTime),
    // Only orders over several books have allocations, and there are none.
    handle(context, { symbol }) {
      context.market(symbol);
      return [];
    },
  }),
  accountGet('myFilters', {
    weight: 40,
    parameters: { symbol: symbolText() },
    handle: (context, { symbol }) => ({
      exchangeFilters: exchangeFilters(context),
      symbolFilters: shownFilters(context.market(symbol).rules),
      assetFilters: [],
    }),
  }),
];
