import { ownMarketsOf } from '../../strategy/own-markets.ts';
import { countText, moneyText } from '../../domain/money-text.ts';
import { formatUnits } from '../../domain/money.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import { parseMarket, decimalsOf } from '../../exchange/market-names.ts';
import type { Engine } from '../../engine/engine.ts';
import { profitOfInstance } from '../../engine/profit-of-instance.ts';
import type { StrategyInstance } from '../../engine/strategy-instance.ts';
import { leftLines, leftText, type LeftText } from '../left-text.ts';
import type { EndpointUsage, RequestCounts } from '../request-counts.ts';
import { english } from '../../language/sentence.ts';

/**
 * Actions and profit of one strategy. Decimals are texts; money is in `currency`, and null while something
 * the strategy holds has no price.
 */
export interface StrategySummary {
  readonly strategy: string;
  /** Null where it runs in each member of a universe. */
  readonly market: string | null;
  readonly orders: number;
  readonly fills: number;
  /** Requests that its orders cost: placements and cancels. */
  readonly requests: number;
  readonly fees: Readonly<Record<string, string>>;
  /** Of the coin of its own market, over all markets; null where it has no market of its own. */
  readonly position: string | null;
  /** Of every asset that it traded, but the currency. */
  readonly positions: Readonly<Record<string, string>>;
  readonly currency: Currency;
  /** Of all its markets, each asset valued once: `realised` and `open`. */
  readonly profit: string | null;
  readonly realised: string | null;
  readonly open: string | null;
  /** Items that cannot be valued. */
  readonly unvalued: readonly string[];
  readonly failure: string | null;
}

export interface Summary {
  readonly strategies: readonly StrategySummary[];
  readonly endpoints: readonly EndpointUsage[];
  /** Orders that are not known to be closed and should be. */
  readonly openOrders: number;
  /** Items that stay at the exchange: open orders, and unprotected positions. */
  readonly left: LeftText;
}

export function summarize(engine: Engine, counts: RequestCounts): Summary {
  return {
    strategies: engine.instances.map((instance) => summarizeInstance(engine, instance)),
    endpoints: counts.usage(),
    openOrders: engine.isDrained() ? 0 : engine.status().liveOrders,
    left: leftText(engine.leftBehind()),
  };
}

function summarizeInstance(engine: Engine, instance: StrategyInstance): StrategySummary {
  const { name, runner, fills, requests, orders, fees } = instance;
  const [market = null] = ownMarketsOf(runner);
  const made = profitOfInstance(instance, (symbol) => engine.markets.priceOf(symbol));
  return {
    strategy: name,
    market,
    orders,
    fills,
    requests,
    fees: Object.fromEntries([...fees].map(([currency, units]) => [currency, formatUnits(units)])),
    position: market === null ? null : formatUnits(instance.held(parseMarket(market).base)),
    ...made,
    failure: instance.status === 'running' ? null : english(instance.reason),
  };
}

/** The summary as lines for people. */
export function summaryLines(summary: Summary): readonly string[] {
  const lines = ['', 'strategy      orders   fills   profit (fees, position)'];
  for (const one of summary.strategies) {
    const { currency } = one;
    const fees = Object.entries(one.fees)
      .filter(([, fee]) => fee !== '0')
      .map(([name, fee]) => `${moneyText(fee, decimalsOf(name))} ${name}`)
      .join(' and ');
    const profit =
      one.profit === null
        ? `unknown: no price of ${one.unvalued.join(', ')}`
        : `${moneyText(one.profit, decimalsOf(currency))} ${currency}`;
    const own = one.market === null ? null : parseMarket(one.market).base;
    const others = Object.entries(one.positions)
      .filter(([asset, held]) => asset !== own && held !== '0')
      .map(([asset, held]) => `${held} ${asset}`);
    const held = [...(one.position === null ? [] : [one.position]), ...others].join(', ');
    const stopped = one.failure === null ? '' : `  STOPPED: ${one.failure}`;
    lines.push(
      `${one.strategy.padEnd(12)} ${String(one.orders).padStart(7)} ${String(one.fills).padStart(7)}   ${profit} (fees ${fees === '' ? '0' : fees}, position ${held === '' ? '0' : held})${stopped}`,
    );
  }
  lines.push('', 'endpoint              requests   most in a window / limit');
  for (const { endpoint, requests, most, limit, windowMs } of summary.endpoints) {
    lines.push(
      `${endpoint.padEnd(20)} ${String(requests).padStart(9)}   ${most} / ${limit} in ${windowMs / 1_000} s`,
    );
  }
  lines.push(
    '',
    ...(summary.openOrders === 0
      ? []
      : [`${countText(summary.openOrders, 'ORDER IS', 'ORDERS ARE')} NOT KNOWN TO BE CLOSED.`]),
    ...leftLines(summary.left),
    // A drain that came to its end left them on purpose.
    ...(summary.openOrders === 0 && summary.left.orders.length > 0
      ? ['Orders stay open by the rule of drain.openOrders; its value "cancel" leaves no order open.']
      : []),
  );
  return lines;
}
