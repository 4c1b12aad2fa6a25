import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BudgetLedger } from '../../../src/budget/ledger.ts';
import { SarrafError } from '../../../src/domain/errors.ts';
import { parseAmount, parsePrice, type Market } from '../../../src/domain/market.ts';
import type { Side } from '../../../src/domain/order.ts';
import type { BotListener } from '../../../src/daemon/bot-listener.ts';
import { createVirtualClock, type Clock } from '../../../src/daemon/clock.ts';
import { RateGate } from '../../../src/daemon/rate-gate.ts';
import { ExchangeClient } from '../../../src/exchange/client.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../../src/exchange/transport.ts';
import type { OwnFill, OwnOrder } from '../../../src/execution/own-order.ts';
import { Mirror } from '../../../src/mirror/mirror.ts';
import type { SimulatedExchange } from '../../../src/simulator/core/exchange.ts';
import type { SimulatedOrder } from '../../../src/simulator/core/trading/order.ts';
import { InProcessVenue } from '../../../src/simulator/in-process-venue.ts';
import { readExchangeConfig } from '../../../src/simulator/settings/exchange-config.ts';
import { createSimulation } from '../../../src/simulator/simulation.ts';

const START_MS = Date.UTC(2026, 0, 5, 12);
const BOT = 1;
const OTHER = 2;

/** A line of what the bot told. */
export interface Told {
  readonly orders: string[];
  readonly fills: OwnFill[];
  readonly notices: string[];
}

/** An exchange of one market without any traders, a client of it, and all that a bot needs besides; time is virtual. */
export interface BotWorld {
  readonly exchange: SimulatedExchange;
  readonly market: Market;
  readonly client: ExchangeClient;
  readonly clock: Clock;
  readonly gate: RateGate;
  readonly mirror: Mirror;
  readonly listener: BotListener;
  readonly told: Told;
  /** Paths of the requests that reached the exchange, in order. */
  readonly sent: string[];
  /** Called with each request before it leaves; a throw there keeps it from arriving. */
  beforeSend: (request: HttpRequest) => void;
  /** Whether the reply to a request is lost after the exchange has handled it. */
  losesReply: (request: HttpRequest) => boolean;
  /** Another user's limit order. */
  other(side: Side, amount: string, price: string): SimulatedOrder;
  /** The bot's orders as the exchange has them, oldest first. */
  botOrders(): readonly SimulatedOrder[];
  close(): void;
}

export function createBotWorld(options: { readonly balances?: Readonly<Record<string, string>> } = {}): BotWorld {
  const balances = options.balances ?? { usdt: '10000', btc: '1' };
  const simulation = createSimulation({
    config: readExchangeConfig({
      markets: [{ symbol: 'BTCUSDT', priceStep: '0.01', amountStep: '0.000001', initialPrice: '65000' }],
      users: [
        { username: 'bot', id: BOT, tokens: ['bot-token'], balances },
        { username: 'other', id: OTHER, balances: { usdt: '10000000', btc: '100' } },
      ],
    }),
    startMs: START_MS,
  });
  const { exchange } = simulation;
  const market = exchange.markets.values().next().value!.rules;
  const clock = createVirtualClock(START_MS);
  const venue = new InProcessVenue({ door: simulation.door, now: () => clock.now() });
  const told: Told = { orders: [], fills: [], notices: [] };
  const listener: BotListener = {
    onOrder: (order: OwnOrder) => told.orders.push(`${order.side} ${order.stage} ${order.status}`),
    onFill: (fill) => told.fills.push(fill),
    onNotice: (message) => told.notices.push(message),
  };
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-bot-'));
  const mirror = Mirror.replace(folder, 'mirror.sqlite', { writesAtOnce: 1 });
  const sent: string[] = [];
  const transport: Transport = {
    async send(request): Promise<HttpResponse> {
      world.beforeSend(request);
      sent.push(request.path.split('?', 1)[0]!);
      const response = await venue.send(request);
      if (world.losesReply(request)) throw new SarrafError('CONNECTION_LOST', 'the reply is lost');
      return response;
    },
    close: () => venue.close(),
  };
  const client = new ExchangeClient({
    transport,
    credentials: { kind: 'token', token: 'bot-token' },
    nowMs: () => clock.now(),
  });
  const world: BotWorld = {
    exchange,
    market,
    client,
    clock,
    gate: new RateGate({ ledger: new BudgetLedger(client.budgets.values()), clock, budgets: client.budgets }),
    mirror,
    listener,
    told,
    sent,
    beforeSend: () => {},
    losesReply: () => false,
    other(side, amount, price) {
      const placed = exchange.trading.place(
        OTHER,
        {
          market: market.symbol,
          side,
          execution: 'limit',
          mode: 'default',
          amount: parseAmount(market, amount),
          price: parsePrice(market, price),
          stopPrice: null,
          stopLimitPrice: null,
          clientOrderId: null,
          pro: true,
        },
        clock.now(),
      );
      if (!placed.ok) throw new Error(`expected an order, was ${placed.code}`);
      return placed.value[0]!;
    },
    botOrders: () => exchange.trading.trader(BOT).orders.values(),
    close() {
      mirror.close();
      rmSync(folder, { recursive: true });
    },
  };
  return world;
}
