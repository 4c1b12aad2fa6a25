import { parseAmount, parsePrice } from '../../../src/domain/market.ts';
import { SarrafError } from '../../../src/domain/errors.ts';
import type { Side } from '../../../src/domain/order.ts';
import { ExchangeClient } from '../../../src/exchange/client.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../../src/exchange/transport.ts';
import { InProcessVenue } from '../../../src/simulator-server/in-process-venue.ts';
import { readExchangeConfig } from '../../../src/simulator-server/exchange-config.ts';
import { createSimulation, type Simulation } from '../../../src/simulator-server/simulation.ts';
import type { SimulatedOrder } from '../../../src/simulator/market-state.ts';

const START_MS = Date.UTC(2026, 0, 5, 12);
const BOT = 1;
const OTHER = 2;

/**
 * An exchange with one market and no other traders, and a client for it over a connection that a test can
 * break. The time of the exchange stands still.
 */
export class BotWorld {
  readonly client: ExchangeClient;
  /** Called with each request before it leaves; if it throws, the request does not arrive. */
  beforeSend: (request: HttpRequest) => void = () => undefined;
  /** True if the reply to a request is lost after the exchange has handled the request. */
  losesReply: (request: HttpRequest) => boolean = () => false;
  /** Changes a reply on its way to the client. */
  onReply: (response: HttpResponse) => HttpResponse = (response) => response;
  private readonly simulation: Simulation;

  constructor() {
    this.simulation = createSimulation({
      config: readExchangeConfig({
        markets: [{ symbol: 'BTCUSDT', priceStep: '0.01', amountStep: '0.000001', initialPrice: '65000' }],
        users: [
          { username: 'bot', id: BOT, tokens: ['bot-token'], balances: { usdt: '10000', btc: '1' } },
          { username: 'other', id: OTHER, balances: { usdt: '10000000', btc: '100' } },
        ],
      }),
      startMs: START_MS,
    });
    const venue = new InProcessVenue({ adapter: this.simulation.adapter, now: () => START_MS });
    const transport: Transport = {
      send: async (request): Promise<HttpResponse> => {
        this.beforeSend(request);
        const response = await venue.send(request);
        if (this.losesReply(request)) throw new SarrafError('CONNECTION_LOST', 'the reply is lost');
        return this.onReply(response);
      },
      close: () => venue.close(),
    };
    this.client = new ExchangeClient({
      transport,
      credentials: { kind: 'token', token: 'bot-token' },
      nowMs: () => START_MS,
    });
  }

  get nowMs(): number {
    return START_MS;
  }

  /** Places a limit order of another user. */
  other(side: Side, amount: string, price: string): void {
    const { exchange } = this.simulation;
    const [market] = [...exchange.markets.values()].map(({ rules }) => rules);
    if (market === undefined) throw new Error('expected a market, was none');
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
      START_MS,
    );
    if (!placed.ok) throw new Error(`expected an order, was ${placed.code}`);
  }

  /** The bot's orders as the exchange has them, oldest first. */
  botOrders(): readonly SimulatedOrder[] {
    return this.simulation.exchange.trading.trader(BOT).orders.values();
  }
}
