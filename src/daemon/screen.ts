import { pino } from 'pino';
import { formatAmount, formatPrice, type Market } from '../domain/market.ts';
import type { OwnFill, OwnOrder } from '../execution/own-order.ts';
import type { BotListener } from './bot-listener.ts';

/** Where lines go: a line for people, or one JSON object a line for programs. */
export interface Screen extends BotListener {
  say(kind: string, text: string, data?: Readonly<Record<string, unknown>>): void;
}

/** Lines that a run may print of single orders and fills in a second; a market run at full speed has thousands. */
const MAX_LINES_PER_SECOND = 25;

export interface ScreenOptions {
  readonly markets: ReadonlyMap<string, Market>;
  readonly json: boolean;
  readonly write: (line: string) => void;
  /** The wall's time, for the bound on lines. */
  readonly wallMs: () => number;
}

export function createScreen(options: ScreenOptions): Screen {
  const { markets, json, write, wallMs } = options;
  let secondMs = Number.NEGATIVE_INFINITY;
  let lines = 0;
  let left = 0;
  const logger = pino({ base: null, messageKey: 'message' }, { write: (line: string) => write(line.trimEnd()) });
  const put = (kind: string, text: string, data: Readonly<Record<string, unknown>>): void => {
    if (json) logger.info({ event: kind, ...data }, text);
    else write(text);
  };
  /** Puts a line of which there may be very many. */
  const putBounded = (kind: string, text: string, data: Readonly<Record<string, unknown>>): void => {
    const nowMs = wallMs();
    if (nowMs - secondMs >= 1_000) {
      if (left > 0) put('more', `         … and ${left} more orders and fills`, { count: left });
      secondMs = nowMs;
      lines = 0;
      left = 0;
    }
    lines += 1;
    if (lines <= MAX_LINES_PER_SECOND) put(kind, text, data);
    else left += 1;
  };
  const orderText = (order: OwnOrder): string => {
    const market = markets.get(order.market);
    if (market === undefined) return order.clientOrderId;
    const at = order.execution === 'market' ? 'at the market' : `at ${formatPrice(market, order.price)}`;
    return `${order.side} ${formatAmount(market, order.amount)} ${order.market} ${at}`;
  };
  return {
    say: (kind, text, data = {}) => put(kind, text, data),
    onOrder(order, nowMs) {
      const { clientOrderId, strategy, stage, status, venueId } = order;
      const word = stage === 'refused' ? `refused: ${status}` : (status ?? stage);
      const text = `${clock(nowMs)} ${strategy.padEnd(12)} order ${String(venueId ?? '-').padStart(6)}  ${orderText(order)}  ${word}`;
      putBounded('order', text, { marketTimeMs: nowMs, clientOrderId, venueId, stage, status });
    },
    onFill(fill: OwnFill) {
      const { order, timeMs, tradeId, price, amount, total, fee } = fill;
      const text = `${clock(timeMs)} ${order.strategy.padEnd(12)} FILL  ${String(order.venueId).padStart(6)}  ${order.side} ${amount} ${order.market} at ${price}, fee ${fee}`;
      putBounded('fill', text, {
        marketTimeMs: timeMs,
        clientOrderId: order.clientOrderId,
        tradeId,
        side: order.side,
        price,
        amount,
        total,
        fee,
      });
    },
    onNotice(message, nowMs) {
      putBounded('notice', `${clock(nowMs)} ${message}`, { marketTimeMs: nowMs });
    },
  };
}

/** Day and time of the market, UTC. */
export function clock(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ');
}
