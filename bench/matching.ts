import { Users } from '../src/simulator/user.ts';
import { OrderBook, Side as PeerSide, type IProcessOrder } from 'nodejs-order-book';
import { createMarket } from '../src/domain/market.ts';
import { parseMarket } from '../src/exchange/market-names.ts';
import type { Side } from '../src/domain/order.ts';
import { SimulatedExchange } from '../src/simulator/exchange.ts';
import { MatchingBook, type MatchHandler, BookOrder } from '../src/simulator/matching-book.ts';
import type { OrderReference, PlaceOrder } from '../src/simulator/requests.ts';
import { createOrderFlow, type FlowStep, type OrderFlow } from './order-flow.ts';
import { median, type BenchResult } from './result.ts';

const FLOW = {
  seed: 7,
  steps: 300_000,
  levels: 1_000,
  ordersPerLevel: 40,
  reach: 50,
  middle: 1_260_000_000,
} as const;
const ROUNDS = 5;
const LEAST_RATIO_ALONE = 20;
/** Minimum number of operations per second of CPU time. */
const LEAST_WITH_ACCOUNTS = 1_000_000;

/** All trades of a run as `taker step:maker id x size`, so that two runs can be compared. */
type Tape = string[];

/**
 * Creates a book under test. The inputs of each step are made beforehand in the form that the book takes,
 * since building them is not its work. `tape` is null in a timed run.
 */
type CreateSubject = (steps: readonly FlowStep[], tape: Tape | null) => (from: number, to: number) => void;

/** Order ids are texts, as clients send them; as digits they would be array indexes in a property key. */
const nameOf = (id: number): string => `order-${id}`;
const numberOf = (name: string | undefined): string => (name ?? '').replace('order-', '');

const sideOf = (side: Side): PeerSide => (side === 'buy' ? PeerSide.BUY : PeerSide.SELL);

const createPeer: CreateSubject = (steps, tape) => {
  const book = new OrderBook();
  const inputs = steps.map((step) => ({
    cancel: step.kind === 'cancel' ? nameOf(step.id) : null,
    limit:
      step.kind === 'limit'
        ? { id: nameOf(step.id), side: sideOf(step.side), size: step.size, price: step.price }
        : null,
    market: step.kind === 'market' ? { side: sideOf(step.side), size: step.size } : null,
  }));
  const record = (result: IProcessOrder, own: string, index: number): void => {
    for (const done of result.done)
      if ('id' in done && done.id !== own) tape?.push(`${index}:${numberOf(done.id)}`);
    const { partial } = result;
    if (partial !== null && partial.id !== own) {
      tape?.push(`${index}:${numberOf(partial.id)}x${result.partialQuantityProcessed}`);
    }
  };
  return (from, to) => {
    for (let index = from; index < to; index += 1) {
      const input = inputs[index]!;
      if (input.cancel !== null) book.cancel(input.cancel);
      else {
        const result = input.limit !== null ? book.limit(input.limit) : book.market(input.market!);
        if (tape !== null) record(result, input.limit?.id ?? '', index);
      }
    }
  };
};

class TapeHandler implements MatchHandler<BookOrder> {
  private readonly tape: Tape | null;
  index = 0;
  trades = 0;

  constructor(tape: Tape | null) {
    this.tape = tape;
  }

  reach(_taker: BookOrder, match: { readonly amount: number }): number {
    return match.amount;
  }

  onMatch(_taker: BookOrder, maker: BookOrder, amount: number): void {
    this.trades += 1;
    this.tape?.push(
      maker.remaining === 0 ? `${this.index}:${maker.id}` : `${this.index}:${maker.id}x${amount}`,
    );
  }
}

const createMatcher: CreateSubject = (steps, tape) => {
  const book = new MatchingBook();
  const orders: (BookOrder | undefined)[] = [];
  const handler = new TapeHandler(tape);
  return (from, to) => {
    for (let index = from; index < to; index += 1) {
      const step = steps[index]!;
      handler.index = index;
      if (step.kind === 'cancel') {
        const order = orders[step.id];
        if (order !== undefined) book.remove(order);
      } else if (step.kind === 'limit') {
        const order = new BookOrder(step.id, step.side, step.price, step.size);
        book.match(order, step.price, handler);
        if (order.remaining > 0) book.add(order);
        orders[step.id] = order;
      } else {
        const taker = new BookOrder(0, step.side, 0, step.size);
        book.match(taker, step.side === 'buy' ? Number.MAX_SAFE_INTEGER : 0, handler);
      }
    }
  };
};

const USERS = 50;

function createExchange(): SimulatedExchange {
  const market = createMarket({
    market: parseMarket('BTCIRT'),
    priceStep: '10',
    amountStep: '0.000001',
    minOrderValue: '0',
  });
  const exchange = new SimulatedExchange(
    {
      markets: [{ market, initialPrice: '12600000000', baseName: 'Bitcoin', quoteName: 'Rial' }],
      fees: { rls: { maker: 2_000, taker: 2_500 }, usdt: { maker: 1_000, taker: 1_300 } },
      // A wide market band, because the peer has none; short histories, because it keeps none.
      trading: { marketBandMillionths: 900_000, historyKept: 20, ordersKept: 5_000 },
      transactionsKept: 20,
    },
    () => ({ users: new Users(), advance: () => {} }) as unknown as SimulatedExchange['services'],
  );
  for (let userId = 1; userId <= USERS; userId += 1) {
    for (const currency of ['btc', 'rls']) {
      const wallet = exchange.accounts.ensure(userId, currency);
      exchange.accounts.post(wallet, 'outside', { units: 10n ** 30n, description: 'Deposit', timeMs: 0 });
    }
  }
  return exchange;
}

interface AdapterInput {
  readonly userId: number;
  readonly place: PlaceOrder | null;
  readonly cancel: OrderReference | null;
}

/**
 * Turns the flow into calls of the exchange's typed adapter. Users place orders in turn; the exchange numbers
 * them in sequence.
 */
function adapterInputs(steps: readonly FlowStep[]): {
  readonly inputs: readonly AdapterInput[];
  readonly flowIds: Map<number, number>;
} {
  const { symbol } = parseMarket('BTCIRT');
  const placed = new Map<number, { readonly userId: number; readonly id: number }>();
  const flowIds = new Map<number, number>();
  let orders = 0;
  const inputs = steps.map((step): AdapterInput => {
    if (step.kind === 'cancel') {
      const { userId, id } = placed.get(step.id)!;
      return { userId, place: null, cancel: { id, clientOrderId: null } };
    }
    orders += 1;
    const userId = 1 + (orders % USERS);
    if (step.kind === 'limit') {
      placed.set(step.id, { userId, id: orders });
      flowIds.set(orders, step.id);
    }
    const place: PlaceOrder = {
      market: symbol,
      side: step.side,
      execution: step.kind,
      mode: 'default',
      amount: step.size,
      price: step.kind === 'limit' ? step.price : null,
      stopPrice: null,
      stopLimitPrice: null,
      clientOrderId: null,
      pro: true,
    };
    return { userId, place, cancel: null };
  });
  return { inputs, flowIds };
}

const createTypedAdapter: CreateSubject = (steps, tape) => {
  const { trading } = createExchange();
  const { inputs, flowIds } = adapterInputs(steps);
  let running = 0;
  if (tape !== null) {
    trading.onEvent = (event) => {
      if (event.kind !== 'trade') return;
      const { maker, amount } = event.trade;
      const name = `${running}:${flowIds.get(maker.id)}`;
      tape.push(maker.remaining === 0 ? name : `${name}x${amount}`);
    };
  }
  return (from, to) => {
    for (let index = from; index < to; index += 1) {
      const { userId, place, cancel } = inputs[index]!;
      running = index;
      if (place !== null) {
        const result = trading.place(userId, place, index);
        if (!result.ok) throw new Error(`expected an accepted order at step ${index}, was ${result.code}`);
      } else {
        const order = trading.find(userId, cancel!);
        if (order !== undefined) trading.cancel(order, index);
      }
    }
  };
};

/**
 * Returns operations per second of CPU time over the flow's steps; the resting orders are placed before the
 * measurement.
 */
function run(create: CreateSubject, flow: OrderFlow, tape: Tape | null = null): number {
  const steps = [...flow.resting, ...flow.steps];
  const subject = create(steps, tape);
  const begin = flow.resting.length;
  subject(0, begin);
  // The garbage of the preparation is not counted as the book's.
  globalThis.gc?.();
  const used = process.cpuUsage();
  subject(begin, steps.length);
  const { user, system } = process.cpuUsage(used);
  return (flow.steps.length * 1e6) / (user + system);
}

/** Compares the trades of two books. Throws at the first difference. */
export function compareTapes(flow: OrderFlow): number {
  const tapes = [createPeer, createMatcher, createTypedAdapter].map((create) => {
    const tape: Tape = [];
    run(create, flow, tape);
    return tape;
  });
  const [peer, ...ours] = tapes;
  for (const tape of ours) {
    for (const [index, trade] of (peer ?? []).entries()) {
      if (tape[index] !== trade) throw new Error(`trade ${index}: expected ${trade}, was ${tape[index]}`);
    }
    if (tape.length !== peer?.length) throw new Error(`expected ${peer?.length} trades, was ${tape.length}`);
  }
  return peer?.length ?? 0;
}

/**
 * Measures operations per second of the matching core, alone and with accounts, against the npm package
 * `nodejs-order-book` on the same flow: 1,000 levels a side of forty orders each, where a peer that searches
 * its queues pays for it.
 */
export function benchMatching(): BenchResult[] {
  const trades = compareTapes(createOrderFlow({ ...FLOW, steps: 50_000 }));
  const flow = createOrderFlow(FLOW);
  const rounds = Array.from({ length: ROUNDS }, () => ({
    peer: run(createPeer, flow),
    matching: run(createMatcher, flow),
    exchange: run(createTypedAdapter, flow),
  }));
  const result = (
    name: string,
    of: (round: (typeof rounds)[number]) => number,
    target: { readonly ratio: number } | { readonly operations: number },
  ): BenchResult => {
    const ratio = median(rounds.map((round) => of(round) / round.peer));
    const reference = median(rounds.map((round) => round.peer));
    const value = median(rounds.map(of));
    const [reached, wanted] = 'ratio' in target ? [ratio, target.ratio] : [value, target.operations];
    return { name, value, unit: 'operations/s', reference, ratio, target: wanted, holds: reached >= wanted };
  };
  return [
    {
      name: 'matching/same-trades',
      value: trades,
      unit: 'trades',
      reference: trades,
      ratio: 1,
      target: 1,
      holds: trades > 0,
    },
    result('matching/alone', (round) => round.matching, { ratio: LEAST_RATIO_ALONE }),
    result('matching/with-accounts', (round) => round.exchange, { operations: LEAST_WITH_ACCOUNTS }),
  ];
}
