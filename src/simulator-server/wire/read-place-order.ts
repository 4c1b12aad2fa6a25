import type { Execution } from '../../domain/order.ts';
import type { SimulatedExchange } from '../../simulator/exchange.ts';
import { accept, refuse, type Refusal, type Result, type PlaceOrder } from '../../simulator/requests.ts';
import type { WireInput } from './handler.ts';
import { amountStepsField, priceStepsField } from './request-fields.ts';

const EXECUTIONS: ReadonlySet<string> = new Set<Execution>(['limit', 'market', 'stop_limit', 'stop_market']);
const CLIENT_ORDER_ID = /^[A-Za-z0-9-]{1,32}$/;
const FLAGS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [undefined, false],
  [null, false],
  ['', false],
  [true, true],
  [false, false],
  ['yes', true],
  ['true', true],
  ['1', true],
  [1, true],
  ['no', false],
  ['false', false],
  ['0', false],
  [0, false],
]);

function wordField(input: WireInput, name: string, whenAbsent: string): string | null {
  const value = input[name];
  if (value === undefined || value === null || value === '') return whenAbsent;
  return typeof value === 'string' ? value.toLowerCase() : null;
}

const unreadable = (field: string, expected: string): Refusal =>
  refuse('ParseError', `${field}: expected ${expected}`);

/**
 * Reads an order from the wire, by hand because every microsecond of it counts. Prices that are missing or
 * unreadable are left to the exchange, which answers `InvalidOrderPrice`. Refused: `ParseError`,
 * `InvalidMarketPair`, `SmallOrder` for an amount below one step, `OverValueOrder` for one that no number
 * holds. Source: interface, `POST /market/orders/add`.
 */
export function readPlaceOrder(input: WireInput, exchange: SimulatedExchange): Result<PlaceOrder> {
  const side = wordField(input, 'type', '');
  if (side !== 'buy' && side !== 'sell') return unreadable('type', 'buy or sell');
  const execution = wordField(input, 'execution', 'limit');
  if (execution === null || !EXECUTIONS.has(execution)) {
    return unreadable('execution', 'limit, market, stop_limit or stop_market');
  }
  const mode = wordField(input, 'mode', 'default');
  if (mode !== 'default' && mode !== 'oco') return unreadable('mode', 'default or oco');
  if (mode === 'oco' && execution !== 'limit') return unreadable('execution', 'limit with mode oco');
  const sentPro = input['pro'];
  const pro = FLAGS.get(typeof sentPro === 'string' ? sentPro.toLowerCase() : sentPro);
  if (pro === undefined) return unreadable('pro', 'a boolean');
  const sentId = input['clientOrderId'] ?? null;
  const clientOrderId = sentId === '' ? null : sentId;
  if (clientOrderId !== null && (typeof clientOrderId !== 'string' || !CLIENT_ORDER_ID.test(clientOrderId))) {
    return unreadable('clientOrderId', 'at most 32 letters, digits and hyphens');
  }
  const base = wordField(input, 'srcCurrency', '');
  const quote = wordField(input, 'dstCurrency', '');
  if (base === '' || quote === '' || base === null || quote === null) {
    return unreadable('srcCurrency', 'two currency symbols, srcCurrency and dstCurrency');
  }
  const market = quote === 'rls' || quote === 'usdt' ? exchange.marketOf(base, quote) : undefined;
  if (market === undefined) return refuse('InvalidMarketPair', `No market of ${base} and ${quote}`);
  const { symbol, priceStep, amountStep } = market.rules;
  const amount = amountStepsField(input, 'amount', amountStep);
  if (Number.isNaN(amount) || amount < 0) return unreadable('amount', 'a positive decimal');
  // An amount below one step is rounded down to nothing, which is worth less than any minimum.
  if (amount === 0) return refuse('SmallOrder', 'The amount is less than one step of its market');
  if (!Number.isSafeInteger(amount)) return refuse('OverValueOrder', 'The amount is larger than any balance');
  return accept({
    market: symbol,
    side,
    execution: execution as Execution,
    mode,
    amount,
    price: priceStepsField(input, 'price', priceStep),
    stopPrice: priceStepsField(input, 'stopPrice', priceStep),
    stopLimitPrice: priceStepsField(input, 'stopLimitPrice', priceStep),
    clientOrderId,
    pro,
  });
}
