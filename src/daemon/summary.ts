import { formatUnits } from '../domain/money.ts';
import type { Bot } from './bot.ts';
import type { RateGate } from './rate-gate.ts';
import type { Seat } from './seat.ts';

/** What one strategy did and made. Decimals are texts; profit is null before a price was seen. */
export interface StrategySummary {
  readonly strategy: string;
  readonly market: string;
  readonly orders: number;
  readonly fills: number;
  readonly fees: Readonly<Record<string, string>>;
  readonly position: string;
  readonly profit: string | null;
  readonly failure: string | null;
}

/** Requests of one endpoint against its limit. */
export interface EndpointUsage {
  readonly endpoint: string;
  readonly requests: number;
  /** The most that any window of its budget saw. */
  readonly most: number;
  readonly limit: number;
  readonly windowMs: number;
}

export interface Summary {
  readonly strategies: readonly StrategySummary[];
  readonly endpoints: readonly EndpointUsage[];
  readonly openOrders: number;
}

export function summarize(bot: Bot, gate: RateGate): Summary {
  return {
    strategies: bot.seats.map((seat) =>
      summarizeSeat(seat, { orders: bot.orders.countOf(seat.runner.name), price: bot.middleOf(seat.market.symbol) }),
    ),
    endpoints: gate.usage().map(({ endpoint, sent, most, budget }) => ({
      endpoint,
      requests: sent,
      most,
      limit: budget.limit,
      windowMs: budget.windowMs,
    })),
    openOrders: bot.orders.unfinished().length,
  };
}

function summarizeSeat(
  { runner, market, account }: Seat,
  { orders, price }: { readonly orders: number; readonly price: bigint | null },
): StrategySummary {
  return {
    strategy: runner.name,
    market: market.symbol,
    orders,
    fills: account.fills,
    fees: { [market.src]: formatUnits(account.sourceFees), [market.dst]: formatUnits(account.quoteFees) },
    position: formatUnits(account.position),
    profit: price === null ? null : formatUnits(account.profitAt(price)),
    failure: runner.failure,
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
  return kept === '' ? whole : `${whole}.${kept}`;
}
