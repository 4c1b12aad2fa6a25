import { expect } from 'vitest';
import { columnsOf, type CandleColumns } from '../../src/domain/candle-columns.ts';
import { decimalText, type DecimalText } from '../../src/domain/decimal-text.ts';
import { feeOf, ratesOf, type FeeSchedule, createMarket } from '../../src/domain/market.ts';
import { formatUnits, parseUnits, type Units } from '../../src/domain/money.ts';
import type { Execution, Side, VenueOrder } from '../../src/domain/order.ts';
import type { VenueTrade } from '../../src/domain/trade.ts';
import type { VenueAnswer } from '../../src/venues/port.ts';
import type { BarRules } from '../../src/venues/fill-rules.ts';
import { BarFillSimulator } from '../../src/venues/bar-fill-simulator.ts';
import { orderIdOf } from '../../src/venues/read-records.ts';
import { parseMarket } from '../../src/exchange/market-names.ts';

const HOUR_MS = 3_600_000;
const FEES: FeeSchedule = { rls: { maker: 0, taker: 0 }, usdt: { maker: 1_000, taker: 2_000 } };

/**
 * Runs a scenario written as a table, one line for each step, against the exchange that fills from candles.
 * The account owns 1,000,000 usdt and 1,000 btc, unless `own` says otherwise; fees are 0.1 % as maker and 0.2
 * % as taker. One market: BTCUSDT, price step 0.01, amount step 0.001. A flat bar at 100 comes first.
 *
 *     own 500 usdt 1 btc                       before anything else
 *     buy limit 2 @99 => Active                places; the status of the order, or the code of a refusal
 *     sell oco 1 @110 stop 90 limit 89 => Active Inactive
 *     bar 100 102 97 101 => 1 2@99 maker       an hour: open, high, low, close; then its fills: order
 * amount@price role
 *     bar 98 98 98 98 x20 => 1 2@98 taker open    its volume, 1,000,000 without it; a fill at its open
 *     cancel 1 => Canceled                     or the code of a refusal
 *     order 1 Done 2                           its status and matched amount
 *     wallet usdt 999802 held 0
 *     equity 1099802
 */
export function runCandleTable(table: string, rules: Partial<BarRules> = {}): void {
  const lines = table.split('\n').map((raw) => raw.replace(/#.*/, '').trim());
  const own = lines.find((line) => line.startsWith('own '))?.split(/\s+/) ?? [
    'own',
    '1000000',
    'usdt',
    '1000',
    'btc',
  ];
  const runner = new CandleTableRunner({ [own[2]!]: own[1]!, [own[4] ?? 'btc']: own[3] ?? '0' }, rules);
  for (const [index, line] of lines.entries()) {
    if (line !== '' && !line.startsWith('own ')) runner.step(line, `line ${index + 1}: ${line}`);
  }
}

class CandleTableRunner {
  private readonly venue: BarFillSimulator;
  private readonly market = createMarket({
    market: parseMarket('BTCUSDT'),
    priceStep: '0.01',
    amountStep: '0.001',
  });
  private readonly rules: Partial<BarRules>;
  private bars = 0;
  private placed = 0;
  private volume = '1000000';

  constructor(own: Readonly<Record<string, string>>, rules: Partial<BarRules>) {
    this.rules = rules;
    this.venue = new BarFillSimulator({
      markets: [this.market],
      fees: FEES,
      balances: Object.fromEntries(
        Object.entries(own).map(([currency, text]) => [currency, parseUnits(text)]),
      ),
      rules,
    });
    this.bar(['bar', '100', '100', '100', '100'], 'the first bar');
  }

  step(line: string, where: string): void {
    const words = line.split(/\s+/);
    if (words[0] === 'bar') this.bar(words, where);
    else if (words[0] === 'cancel') this.cancel(words, where);
    else if (words[0] === 'order') this.expectOrder(words, where);
    else if (words[0] === 'wallet') this.expectWallet(words, where);
    else if (words[0] === 'equity') expect(formatUnits(this.venue.equity('usdt')), where).toBe(words[1]);
    else this.place(words, where);
  }

  private get nowMs(): number {
    return this.bars * HOUR_MS;
  }

  private bar(words: readonly string[], where: string): void {
    const [open, high, low, close] = words.slice(1, 5).map(decimalText) as [
      DecimalText,
      DecimalText,
      DecimalText,
      DecimalText,
    ];
    this.volume = words[5]?.startsWith('x') === true ? words[5].slice(1) : '1000000';
    const volume = decimalText(this.volume);
    const candle = { openTimeMs: this.nowMs, open, high, low, close, volume };
    const columns: CandleColumns = columnsOf({ market: this.market.symbol, timeframe: '1h' }, [candle]);
    const hasHappened = this.venue.onCandle(0, columns, 0);
    const { trades, orders } = this.venue.drain();
    this.expectFills(words, trades, where);
    if (!hasHappened) expect([...trades, ...orders], where).toEqual([]);
    for (const order of orders) expectConsistent(order, where);
    this.bars += 1;
  }

  private place(words: readonly string[], where: string): void {
    const [side, kind, amount] = words as [Side, string, string];
    const arrow = words.indexOf('=>');
    const rest = words.slice(3, arrow);
    const after = (word: string): Units | null =>
      rest.includes(word) ? parseUnits(rest[rest.indexOf(word) + 1]!) : null;
    const priced = rest.find((word) => word.startsWith('@'));
    const price = priced === undefined ? null : parseUnits(priced.slice(1));
    const common = {
      clientOrderId: `order-${this.placed}-${where.length}`,
      base: 'btc',
      quote: 'usdt',
      side,
    };
    const stopPrice = after('stop');
    const answer =
      kind === 'oco'
        ? this.venue.answer(
            {
              kind: 'place-oco',
              order: {
                ...common,
                amount: parseUnits(amount),
                price: price!,
                stopPrice: stopPrice!,
                stopLimitPrice: after('limit')!,
              },
            },
            this.nowMs,
          )
        : this.venue.answer(
            {
              kind: 'place',
              order: {
                ...common,
                execution: kind as Execution,
                amount: parseUnits(amount),
                price,
                stopPrice,
              },
            },
            this.nowMs,
          );
    const orders = ordersIn(answer);
    this.placed += orders.length;
    const said = answer.outcome === 'refused' ? answer.code : orders.map(({ status }) => status).join(' ');
    const [expected = '', fills] = words
      .slice(arrow + 1)
      .join(' ')
      .split(' then ');
    expect(said, where).toBe(expected);
    const { trades } = this.venue.drain();
    this.expectFills(fills === undefined ? [] : ['=>', ...fills.split(' ')], trades, where);
  }

  private cancel(words: readonly string[], where: string): void {
    const answer = this.venue.answer(
      { kind: 'cancel', market: 'BTCUSDT', venueId: orderIdOf(Number(words[1])), clientOrderId: null },
      this.nowMs,
    );
    const said =
      answer.outcome === 'refused' ? answer.code : (answer as { value: { status: string } }).value.status;
    expect(said, where).toBe(words[3]);
  }

  private expectFills(words: readonly string[], trades: readonly VenueTrade[], where: string): void {
    const arrow = words.indexOf('=>');
    expect(trades.map((trade) => this.fillText(trade)).join(', '), where).toBe(
      arrow === -1 ? '' : words.slice(arrow + 1).join(' '),
    );
  }

  private fillText(trade: VenueTrade): string {
    const received = trade.side === 'buy' ? trade.amount : trade.total;
    const role = (['maker', 'taker'] as const).find(
      (role) => feeOf(received, ratesOf(FEES, 'usdt')[role]) === trade.fee,
    );
    const isAtOpen = trade.timeMs === this.nowMs && this.rules.arrival !== 'this-close';
    if (!isAtOpen && this.rules.arrival !== 'this-close') expect(trade.timeMs).toBe(this.nowMs + HOUR_MS - 1);
    return `${trade.orderId} ${formatUnits(trade.amount)}@${formatUnits(trade.price)} ${role}${isAtOpen ? ' open' : ''}`;
  }

  private expectOrder(words: readonly string[], where: string): void {
    const answer = this.venue.answer(
      { kind: 'order', market: 'BTCUSDT', venueId: orderIdOf(Number(words[1])), clientOrderId: null },
      this.nowMs,
    );
    const [order] = ordersIn(answer);
    expect(`${order?.status} ${formatUnits(order?.matchedAmount ?? 0n)}`, where).toBe(
      words.slice(2).join(' '),
    );
  }

  private expectWallet(words: readonly string[], where: string): void {
    const { total, held } = this.venue.balance(words[1]!);
    expect(`${formatUnits(total)} held ${formatUnits(held)}`, where).toBe(words.slice(2).join(' '));
  }
}

function ordersIn(answer: VenueAnswer): readonly VenueOrder[] {
  if (answer.outcome !== 'value') return [];
  return Array.isArray(answer.value) ? (answer.value as readonly VenueOrder[]) : [answer.value as VenueOrder];
}

/** Checks that the record of an order agrees with itself. */
function expectConsistent(order: VenueOrder, where: string): void {
  const parts = order.matchedAmount + (order.unmatchedAmount ?? 0n);
  expect(parts, where).toBe(order.amount);
  expect(order.partial, where).toBe(order.matchedAmount !== 0n && order.unmatchedAmount !== 0n);
}
