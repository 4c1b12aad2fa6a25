import { formatUnits } from '../../domain/money.ts';
import type { SimulatedExchange } from '../core/exchange.ts';
import type { WireForms } from './forms.ts';
import { writeDecimal } from './write-fields.ts';

/** The numbers that repeat some symbols among the minimum values. */
const NUMERIC_IDS: Readonly<Record<string, string>> = { rls: '2', usdt: '13' };

/** Digits of the whole part in groups of three, as the coins of the options have them: `4_000.0`. */
function withUnderscores(units: bigint): string {
  const [whole = '0', fraction = '0'] = formatUnits(units).split('.');
  return `${whole.replace(/\B(?=(?:\d{3})+$)/g, '_')}.${fraction}`;
}

function minOrders(exchange: SimulatedExchange, forms: WireForms): Record<string, unknown> {
  const least = new Map<string, bigint>();
  for (const { rules } of exchange.markets.values()) {
    const known = least.get(rules.quote);
    if (known === undefined || rules.minOrderValue > known) least.set(rules.quote, rules.minOrderValue);
  }
  const entries: Record<string, unknown> = {};
  for (const [currency, units] of least) {
    entries[currency] = writeDecimal(units, forms);
    const id = NUMERIC_IDS[currency];
    if (id !== undefined) entries[id] = writeDecimal(units, forms);
  }
  return entries;
}

/** Currencies of the markets, quote currencies first. */
export function activeCurrencies(exchange: SimulatedExchange): readonly string[] {
  const rules = [...exchange.markets.values()].map((market) => market.rules);
  return [...new Set(['rls', 'usdt', ...rules.map(({ base }) => base)])];
}

/**
 * `GET /v2/options`: minimum values and steps under the service's own name. Where markets of a currency
 * differ in their minimum, the largest.
 */
export function optionsRecord(exchange: SimulatedExchange, forms: WireForms): Record<string, unknown> {
  const { serviceName: name } = forms;
  const markets = [...exchange.markets.values()].map((market) => market.rules);
  const currencies = activeCurrencies(exchange);
  const own = {
    minOrders: minOrders(exchange, forms),
    amountPrecisions: Object.fromEntries(
      markets.map(({ symbol, amountStep }) => [symbol, formatUnits(amountStep)]),
    ),
    pricePrecisions: Object.fromEntries(
      markets.map(({ symbol, priceStep }) => [symbol, formatUnits(priceStep)]),
    ),
    activeCurrencies: currencies,
  };
  return {
    status: 'ok',
    features: { orderTypes: ['limit', 'market', 'stop_limit', 'stop_market', 'oco'], depth: true },
    coins: currencies.map((symbol) => {
      const { displayName, networks } = exchange.services.currency(symbol);
      return {
        coin: symbol,
        name: displayName,
        withdrawMax: withUnderscores(40_000_000_000_000n),
        networks: networks.map((network) => network.name),
      };
    }),
    ...(forms.options === 'nested'
      ? { [name]: own }
      : Object.fromEntries(Object.entries(own).map(([field, value]) => [`${name}.${field}`, value]))),
  };
}
