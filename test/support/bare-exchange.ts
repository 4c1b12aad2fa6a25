import { createMarket, type Market, type FeeSchedule } from '../../src/domain/market.ts';
import { parseUnits } from '../../src/domain/money.ts';
import { SimulatedExchange } from '../../src/simulator/exchange.ts';
import type { TradingSettings } from '../../src/simulator/requests.ts';
import type { Services } from '../../src/simulator/services.ts';
import { Users } from '../../src/simulator/user.ts';
import { parseMarket } from '../../src/exchange/market-names.ts';

export const NO_FEES: FeeSchedule = { rls: { maker: 0, taker: 0 }, usdt: { maker: 0, taker: 0 } };
export const BASE_FEES: FeeSchedule = {
  rls: { maker: 2_000, taker: 2_500 },
  usdt: { maker: 1_000, taker: 1_300 },
};

export interface BareMarket {
  readonly market: string;
  readonly priceStep: string;
  readonly amountStep: string;
  readonly minOrderValue?: string;
  readonly initialPrice: string;
}

/** Creates an exchange with only markets, wallets and trading: no users, tokens or withdrawals. */
export function createBareExchange(options: {
  readonly markets: readonly BareMarket[];
  readonly fees?: FeeSchedule;
  readonly trading?: Partial<TradingSettings>;
}): { readonly exchange: SimulatedExchange; readonly markets: readonly Market[] } {
  const markets = options.markets.map((given) =>
    createMarket({ ...given, market: parseMarket(given.market) }),
  );
  const exchange = new SimulatedExchange(
    {
      markets: markets.map((market, index) => ({
        market,
        initialPrice: options.markets[index]!.initialPrice,
        baseName: market.base,
        quoteName: market.quote,
      })),
      fees: options.fees ?? NO_FEES,
      ...(options.trading === undefined ? {} : { trading: options.trading }),
    },
    () => ({ users: new Users(), advance: () => {} }) as unknown as Services,
  );
  return { exchange, markets };
}

/** Deposits money into a user's wallet. */
export function fund(exchange: SimulatedExchange, userId: number, currency: string, amount: string): void {
  const wallet = exchange.accounts.ensure(userId, currency);
  exchange.accounts.post(wallet, 'outside', { units: parseUnits(amount), description: 'Deposit', timeMs: 0 });
}
