import type { MarketName } from '../../../domain/market-symbol.ts';
import { parseMarket } from '../../../exchange/market-names.ts';
import { UNIT_DECIMALS, UNITS_PER_ONE } from '../../../domain/money.ts';
import { transferFunds } from '../../../simulator/accounts.ts';
import { refuse } from '../../../simulator/requests.ts';
import { callUser, failedAnswer, type WireCall, type WireHandlers } from '../handler.ts';
import { readRequest } from '../read-request.ts';
import { tryUnits } from '../request-fields.ts';
import { walletJson } from '../wallet-records.ts';
import { writeDecimal } from '../write-fields.ts';

function marketNames(call: WireCall): readonly MarketName[] {
  return [...call.exchange.markets.keys()].map((symbol) => parseMarket(symbol));
}

/** Source: interface, "Margin". */
export const marginHandlers: WireHandlers<
  'marginMarkets' | 'liquidityPools' | 'transfer' | 'delegationLimit'
> = {
  marginMarkets(call) {
    const level = call.caller === null ? null : callUser(call).level;
    const markets = [...call.exchange.services.margin.markets(marketNames(call), level)].map(
      ([symbol, market]) =>
        [
          symbol,
          {
            srcCurrency: market.base,
            dstCurrency: market.quote,
            positionFeeRate: writeDecimal(market.positionFeeRate, call.forms),
            maxLeverage: writeDecimal(market.maxLeverage, call.forms),
            sellEnabled: market.sellEnabled,
            buyEnabled: market.buyEnabled,
          },
        ] as const,
    );
    return { status: 200, body: { status: 'ok', markets: Object.fromEntries(markets) } };
  },

  liquidityPools(call) {
    const pools = [...call.exchange.services.margin.pools(marketNames(call))].map(
      ([currency, pool]) =>
        [
          currency,
          {
            capacity: writeDecimal(pool.capacity, call.forms),
            filledCapacity: writeDecimal(pool.filledCapacity, call.forms),
            availableBalance: writeDecimal(pool.availableBalance, call.forms),
          },
        ] as const,
    );
    return { status: 200, body: { status: 'ok', pools: Object.fromEntries(pools) } };
  },

  transfer(call) {
    const request = readRequest('transfer', call);
    if (!request.ok) return failedAnswer(request, call.forms);
    const { amount, ...fields } = request.value;
    const units = tryUnits(amount);
    if (units === null) {
      return failedAnswer(refuse('InvalidAmount', `Expected at most ${UNIT_DECIMALS} decimals`), call.forms);
    }
    const result = transferFunds(call.exchange.accounts, {
      ...fields,
      userId: callUser(call).id,
      units,
      timeMs: call.timeMs,
    });
    if (!result.ok) return failedAnswer(result, call.forms);
    const { srcWallet, dstWallet } = result.value;
    return {
      status: 200,
      body: { status: 'ok', srcWallet: walletJson(srcWallet, call), dstWallet: walletJson(dstWallet, call) },
    };
  },

  delegationLimit(call) {
    const user = callUser(call);
    const request = readRequest('delegationLimit', call);
    if (!request.ok) return failedAnswer(request, call.forms);
    const { currency } = request.value;
    const rialOfOne = call.exchange.rialValue(currency, UNITS_PER_ONE);
    const limit = call.exchange.services.margin.delegationLimit(user.level, rialOfOne);
    if (limit === null)
      return failedAnswer(refuse('InvalidCurrency', `No limit for ${currency}`), call.forms);
    return { status: 200, body: { status: 'ok', limit: writeDecimal(limit, call.forms) } };
  },
};
