import { budgetTable } from '../../src/exchange/client-options.ts';
import type { Market } from '../../src/domain/market.ts';
import { present } from '../../src/domain/errors.ts';
import type { Tolerances } from '../../src/fuzz/checkers/order-checker.ts';
import { mostDust } from '../../src/fuzz/exchange-events.ts';
import { BudgetChecker } from '../../src/fuzz/checkers/budget-checker.ts';
import { truthOf, type ExchangeTruth, type Violation } from '../../src/fuzz/checkers/exchange-truth.ts';
import { FaultPlan, type FaultRule } from '../../src/simulator-server/fault-plan.ts';
import { SyntheticFlow } from '../../src/simulator/synthetic-flow.ts';
import { ExchangeServer } from '../../src/simulator-server/exchange-server.ts';
import { WorldClock, createSimulation, type Simulation } from '../../src/simulator-server/simulation.ts';
import { readExchangeConfig } from '../../src/simulator-server/exchange-config.ts';
import type { LoggedRequest } from '../../src/simulator-server/request-log.ts';

export const USER = 1;
export const TOKEN = 'process-test-token';
/** Token of the same user as `TOKEN`. */
export const SECOND_TOKEN = 'process-test-second';
export const PASSWORD = 'process-test-password';

const MARKETS = [
  { symbol: 'BTCIRT', priceStep: '10', amountStep: '0.000001', initialPrice: '60000000000' },
  { symbol: 'BTCUSDT', priceStep: '0.01', amountStep: '0.000001', initialPrice: '65000' },
] as const;

/** Limits that differ from those of the interface, by the name of the budget. */
export type Limits = Readonly<Record<string, { readonly limit: number; readonly windowMs: number }>>;

/**
 * Limits that replace those of the interface. Endpoints that every start reads get more, as starts every few
 * seconds would only wait; books get more, for more decisions. New orders get 90 per minute instead of 300
 * per ten minutes: a bot that forgets at a start what it has sent goes over 90.
 */
const LIMITS: Limits = {
  'orders/add': { limit: 90, windowMs: 60_000 },
  'v2/orderbook': { limit: 240, windowMs: 60_000 },
  'orders/list': { limit: 120, windowMs: 60_000 },
  'trades/list': { limit: 120, windowMs: 60_000 },
  'users/wallets/list': { limit: 60, windowMs: 60_000 },
  'v2/wallets': { limit: 60, windowMs: 60_000 },
  'users/wallets/transactions/list': { limit: 120, windowMs: 60_000 },
};

export interface ExchangeOptions {
  readonly seed: number;
  /** Limits that override those of all tests. */
  readonly limits?: Limits;
}

/**
 * The simulated exchange behind its own server on a loopback port of this process: tests read its state from
 * its tables. Bots reach it over HTTP only.
 */
export class ServedExchange {
  readonly baseUrl: string;
  readonly limits: Limits;
  readonly simulation: Simulation;
  private readonly server: ExchangeServer;
  private readonly clock: WorldClock;
  private readonly budgets: BudgetChecker;
  private readonly market: { isTrading: boolean };
  private readonly listeners = new Set<(path: string) => void>();
  private plans = 0;

  private constructor(parts: {
    readonly baseUrl: string;
    readonly limits: Limits;
    readonly simulation: Simulation;
    readonly server: ExchangeServer;
    readonly clock: WorldClock;
    readonly market: { isTrading: boolean };
  }) {
    this.baseUrl = parts.baseUrl;
    this.limits = parts.limits;
    this.simulation = parts.simulation;
    this.server = parts.server;
    this.clock = parts.clock;
    this.market = parts.market;
    this.budgets = new BudgetChecker(parts.simulation.adapter.log, {
      limits: budgetTable(parts.limits, 0),
    });
    const { faulty } = parts.simulation;
    const receive = faulty.receive.bind(faulty);
    faulty.receive = (request) => {
      for (const listener of this.listeners) listener(request.path);
      return receive(request);
    };
    this.setFaults([]);
  }

  /** Tolerances for the check of orders, by the rules of its markets. */
  get tolerances(): Tolerances {
    const rules = [...this.simulation.exchange.markets.values()].map((market) => market.rules);
    const rulesOf = (market: string): Market =>
      present(
        rules.find(({ symbol }) => symbol === market),
        `the market ${market}`,
      );
    return { roundingOf: () => 0n, dustOf: (market, price) => mostDust(rulesOf(market), price) };
  }

  static async open({ seed, limits: other = {} }: ExchangeOptions): Promise<ServedExchange> {
    const limits = { ...LIMITS, ...other };
    const clock = new WorldClock();
    const startMs = clock.nowMs();
    const simulation = createSimulation({
      config: readExchangeConfig({
        markets: [...MARKETS],
        users: [
          {
            username: 'bot',
            id: USER,
            tokens: [TOKEN, SECOND_TOKEN],
            password: PASSWORD,
            balances: { rls: '200000000000', usdt: '200000', btc: '3' },
          },
        ],
        trading: { recordVersions: true },
        limits: { overrides: { ...limits } },
      }),
      startMs,
      seed,
    });
    const { exchange } = simulation;
    const flow = new SyntheticFlow({ exchange, seed, startMs, historyMinutes: 60 });
    const market = { isTrading: true };
    const server = new ExchangeServer({
      simulation,
      clock,
      world: {
        advance(timeMs) {
          if (market.isTrading) flow.advance(timeMs);
          exchange.advance(timeMs);
        },
      },
    });
    const baseUrl = await server.listen({ host: '127.0.0.1', port: 0 });
    return new ServedExchange({ baseUrl, limits, simulation, server, clock, market });
  }

  /** Advances its time by some minutes at once, as for a client that has slept. */
  advance(minutes: number): void {
    // The synthetic traders must be called once for each minute.
    for (let minute = 0; minute < minutes; minute += 1) {
      this.clock.advance(60_000);
      this.server.tick();
    }
  }

  /** Sets the faults from now on. Every request passes the fault layer, so that `onRequest` sees it. */
  setFaults(rules: readonly FaultRule[]): void {
    this.plans += 1;
    const unnoticed: FaultRule = { kind: 'delay', delayMs: 1 };
    this.simulation.faulty.plan = new FaultPlan({ seed: this.plans, rules: [...rules, unnoticed] });
  }

  /** Calls a function with the path of each request on its arrival. Returns a function that ends this. */
  onRequest(listener: (path: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  addUser(settings: {
    readonly username: string;
    readonly tokens: readonly string[];
    readonly password: string;
  }): void {
    const { exchange } = this.simulation;
    exchange.services.addUser({ ...settings, tokens: [...settings.tokens] }, Date.now());
  }

  /** Revokes a token, as its owner does on the page of the exchange; null revokes those of every log-in. */
  revoke(token: string | null): void {
    const { credentials } = this.simulation.exchange.services;
    if (token === null) credentials.revokeLogins(USER);
    else credentials.revoke(token);
  }

  /** Stops the synthetic traders, so that no order fills by itself. */
  endTrading(): void {
    this.market.isTrading = false;
  }

  truth(): ExchangeTruth {
    this.server.tick();
    return truthOf(this.simulation.exchange, USER);
  }

  /** Requests so far that exceeded a limit. */
  budgetViolations(): readonly Violation[] {
    return this.budgets.violations();
  }

  requests(): readonly LoggedRequest[] {
    return this.simulation.adapter.log.values();
  }

  async close(): Promise<void> {
    await this.server.close();
  }
}
