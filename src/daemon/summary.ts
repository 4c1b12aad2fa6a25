import { formatUnits } from '../domain/money.ts';
import { UNITS_PER_ONE } from '../domain/money.ts';
import { divideHalfEven } from '../domain/rounding.ts';
import type { Engine } from '../engine/engine.ts';
import type { Seat } from '../engine/seat.ts';
import type { EndpointUsage, RequestCounts } from './request-counts.ts';

/** What one strategy did and made. Decimals are texts; profit is null before a price was seen. */
export interface StrategySummary {
  readonly strategy: string;
  readonly market: string;
  readonly orders: number;
  readonly fills: number;
  /** Requests that its orders cost: placements and cancels. */
  readonly requests: number;
  readonly fees: Readonly<Record<string, string>>;
  readonly position: string;
  readonly profit: string | null;
  readonly failure: string | null;
}

export interface Summary {
  readonly strategies: readonly StrategySummary[];
  readonly endpoints: readonly EndpointUsage[];
  readonly openOrders: number;
}

export function summarize(engine: Engine, counts: RequestCounts): Summary {
  return {
    strategies: engine.seats.map((seat) => summarizeSeat(engine, seat)),
    endpoints: counts.usage(),
    openOrders: engine.status().liveOrders,
  };
}

function summarizeSeat(engine: Engine, seat: Seat): StrategySummary {
  const { name, runner, fills, requests, orders, fees } = seat;
  const { market } = runner;
  const state = engine.markets.get(market);
  const price = engine.markets.priceOf(market);
  const dst = state?.market.dst ?? 'rls';
  const position = seat.position(market, dst);
  const profit = price === null ? null : seat.cash(market, dst) + divideHalfEven(position * price, UNITS_PER_ONE);
  return {
    strategy: name,
    market,
    orders,
    fills,
    requests,
    fees: Object.fromEntries([...fees].map(([currency, units]) => [currency, formatUnits(units)])),
    position: formatUnits(position),
    profit: profit === null ? null : formatUnits(profit),
    failure: seat.status === 'running' ? null : seat.reason,
  };
}

/** The summary as lines for people. */
export function summaryLines(summary: Summary): readonly string[] {
  const lines = ['', 'strategy      orders   fills   profit (fees, position)'];
  for (const one of summary.strategies) {
    const currency = one.market.endsWith('IRT') ? 'rls' : 'usdt';
    const fees = Object.entries(one.fees)
      .filter(([, fee]) => fee !== '0')
      .map(([name, fee]) => `${forPeople(fee, name)} ${name}`)
      .join(' and ');
    const profit = one.profit === null ? '-' : `${forPeople(one.profit, currency)} ${currency}`;
    const stopped = one.failure === null ? '' : `  STOPPED: ${one.failure}`;
    lines.push(
      `${one.strategy.padEnd(12)} ${String(one.orders).padStart(7)} ${String(one.fills).padStart(7)}   ${profit} (fees ${fees === '' ? '0' : fees}, position ${one.position})${stopped}`,
    );
  }
  lines.push('', 'endpoint              requests   most in a window / limit');
  for (const { endpoint, requests, most, limit, windowMs } of summary.endpoints) {
    lines.push(`${endpoint.padEnd(20)} ${String(requests).padStart(9)}   ${most} / ${limit} in ${windowMs / 1_000} s`);
  }
  lines.push(
    '',
    summary.openOrders === 0 ? 'No order is left open.' : `${summary.openOrders} ORDERS ARE NOT KNOWN TO BE CLOSED.`,
  );
  return lines;
}

/** A decimal text cut to what a person reads: whole rial, hundredths of a tether, eight digits of a coin. The exact one is in the JSON. */
export function forPeople(text: string, currency: string): string {
  const digits = currency === 'rls' ? 0 : currency === 'usdt' ? 2 : 8;
  const [whole = text, fraction = ''] = text.split('.');
  const kept = fraction.slice(0, digits);
  const cut = kept === '' ? whole : `${whole}.${kept}`;
  // What was cut to nothing has no sign.
  return /[1-9]/.test(cut) ? cut : cut.replace('-', '');
}
