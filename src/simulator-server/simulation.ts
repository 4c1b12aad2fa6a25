import { UTC_BARS, type BarAnchors } from '../domain/bar-grid.ts';
import { createRandom } from '../domain/random.ts';
import { SimulatedExchange } from '../simulator/exchange.ts';
import { currencyOf } from '../simulator/deposits.ts';
import { createServices } from '../simulator/services.ts';
import { DEFAULT_GATEWAY } from '../simulator/gateway.ts';
import { FaultPlan } from './fault-plan.ts';
import { FaultyAdapter } from './faulty-adapter.ts';
import { md5Hex, verifyEd25519, verifyTotpCode } from './node-crypto-ports.ts';
import { defined } from './config-fields.ts';
import type { ExchangeConfig } from './exchange-config.ts';
import { WireAdapter } from './wire/wire-adapter.ts';

interface SimulationOptions {
  readonly config: ExchangeConfig;
  /** Opening time of the exchange. */
  readonly startMs: number;
  /** Of tokens and faults; the faults' own seed goes before it. */
  readonly seed?: number;
  /** Starts of the bars of a market, by its symbol; the others follow `candles.zone`. */
  readonly barAnchors?: ReadonlyMap<string, BarAnchors>;
  /** Told of a mistake in the exchange itself; without it the mistake is thrown. */
  readonly onMistake?: (error: unknown) => void;
}

/** A simulated exchange with its adapters, ready to be served or used in process. */
export interface Simulation {
  readonly config: ExchangeConfig;
  readonly exchange: SimulatedExchange;
  readonly adapter: WireAdapter;
  /** The same adapter with the configured faults before it. */
  readonly faulty: FaultyAdapter;
}

/** Builds an exchange from its configuration. */
export function createSimulation(options: SimulationOptions): Simulation {
  const { config, startMs } = options;
  const seed = options.seed ?? 1;
  const lags = config.faults.rules?.some(({ kind }) => kind === 'lagging-lists') === true;
  const names = (symbol: string): string => currencyOf(symbol, config.currencies[symbol]).displayName;
  const exchange = new SimulatedExchange(
    {
      markets: config.markets.map(({ market, initialPrice }) => ({
        market,
        initialPrice,
        baseName: names(market.base),
        quoteName: names(market.quote),
        barAnchors: options.barAnchors?.get(market.symbol) ?? anchorsFor(config.candles.zone),
      })),
      fees: config.fees,
      trading: { ...(lags ? { recordVersions: true } : {}), ...defined(config.trading) },
    },
    (made) =>
      createServices({
        accounts: made.accounts,
        random: createRandom(seed),
        startMs,
        verifySignature: verifyEd25519,
        md5: md5Hex,
        verifyTotp: verifyTotpCode,
        feesOf: (userId) => made.trading.trader(userId).fees,
        serviceName: config.exchange.name,
        users: config.users,
        currencies: config.currencies,
        limits: { ...defined(config.limits), overrides: defined(config.limits.overrides ?? {}) },
        withdrawals: defined(config.withdrawals),
        margin: defined(config.margin),
        gateway: { ...DEFAULT_GATEWAY, ...defined(config.gateway) },
      }),
  );
  const adapter = new WireAdapter({
    exchange,
    forms: { ...defined(config.forms), serviceName: config.exchange.name },
    isLenient: config.lenience,
    ...(options.onMistake === undefined ? {} : { onMistake: options.onMistake }),
  });
  return {
    config,
    exchange,
    adapter,
    faulty: new FaultyAdapter(adapter, new FaultPlan({ seed, ...defined(config.faults) })),
  };
}

/** Bars of 4 h and more begin as the clock of a zone does. */
function anchorsFor(zone: string): BarAnchors {
  return zone === 'UTC' ? UTC_BARS : { '4h': { zone, offsetMs: 0 } };
}
