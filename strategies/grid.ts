import { z } from 'zod';
import { book, buy, cancelAll, currenciesOf, Decimal, decimal, defineStrategy, sell } from '#sdk';
import type { HandlerResult, Intent, OrderBook, StrategyContext } from '#sdk';

const params = z.strictObject({
  /** The lowest price to buy at, and the highest to sell at. Without them: `rangeBps` on both sides of the first price that is seen. */
  low: decimal().optional(),
  high: decimal().optional(),
  /** Half the width of the grid, in hundredths of a percent. */
  rangeBps: z.number().positive().max(9_000).default(200),
  /** Prices of the grid, at equal distances. */
  levels: z.int().min(2).max(50).default(10),
  /** Coins that each level buys. Without it: `share` of the quote currency that is free at the start. */
  amount: decimal().optional(),
  share: decimal().prefault('0.02'),
});

/** The room between two neighbouring prices. It buys at the lower one, sells what it got at the upper one, and begins again. */
interface Cell {
  readonly low: string;
  readonly high: string;
  readonly side: 'buy' | 'sell';
  /** What the order at work is to trade, and what its fills came to; `got` is what purchases brought after fees. */
  readonly wanted: string;
  readonly done: string;
  readonly got: string;
  readonly isFilled: boolean;
  /** After a refusal nothing is tried again before this. */
  readonly waitsUntilMs: number;
}

interface State {
  /** The parameters that the cells were made for; other ones begin a new grid. */
  readonly shape: string;
  readonly amount: string;
  readonly cells: readonly Cell[];
}

type Context = StrategyContext<z.output<typeof params>, State>;

/** How long a level that was refused is left alone. */
const PAUSE_MS = 60_000;

/** Less than this share of an order is no longer worth one of its own. */
const DUST = 0.05;

/**
 * Buys a little at each price below the market, and sells it again one level higher. What it does next follows from its state and its open orders, which are
 * told apart by their tags, so it goes on after a restart. A buying level above the market waits until the price has risen past it.
 */
export default defineStrategy({
  name: 'grid',
  params,
  subscribe: ({ market }) => [book(market, { everyMs: 3_000, maxAgeMs: 60_000 })],
  init: (): State => ({ shape: '', amount: '0', cells: [] }),
  onBook(context, seen) {
    const { state, market, orders } = context;
    if (state.shape === shapeOf(context)) return arrange(context, state, seen);
    // Orders of another grid would be taken for this one's.
    if (orders.length > 0) return { intents: [cancelAll(market)] };
    const begun = begin(context, seen);
    return begun === null ? {} : arrange(context, begun, seen);
  },
  onFill({ state }, { tag, side, amount, fee }) {
    return change(state, tag, (cell) => ({
      ...cell,
      done: plus(cell.done, amount),
      got: side === 'buy' ? plus(cell.got, new Decimal(amount).minus(fee)) : cell.got,
    }));
  },
  onOrder(context, { tag, status }) {
    if (status !== 'filled') return {};
    const { state } = change(context.state, tag, (cell) => ({ ...cell, isFilled: true }));
    return context.book === null ? { state } : arrange(context, state, context.book);
  },
  onReject({ state, nowMs }, { tag }) {
    return change(state, tag, (cell) => ({ ...cell, waitsUntilMs: nowMs + PAUSE_MS }));
  },
});

/**
 * Gives each cell the order that it lacks. One cell's upper price is the next one's lower, so a level buys only when all below it have sold, and sells only
 * when no purchase above it is open: the grid never trades with itself.
 */
function arrange(context: Context, state: State, { asks }: Pick<OrderBook, 'asks'>): HandlerResult<State> {
  const { market, orders, nowMs } = context;
  const ask = asks[0]?.[0];
  const working = new Map(orders.map(({ tag, side }) => [tag, side]));
  const highestBuy = state.cells.findLastIndex((_, index) => working.get(tagOf(index)) === 'buy');
  const intents: Intent[] = [];
  let isSoldBelow = true;
  const cells = state.cells.map((before, index) => {
    const tag = tagOf(index);
    const isWorking = working.has(tag);
    const cell = !isWorking && isOver(before) ? turned(before, state.amount) : before;
    if (!isWorking && nowMs >= cell.waitsUntilMs) {
      const amount = new Decimal(cell.wanted).minus(cell.done).toFixed();
      if (cell.side === 'sell') {
        if (highestBuy < index) intents.push(sell(market, { amount, price: cell.high, tag }));
      } else if (isSoldBelow && ask !== undefined && new Decimal(cell.low).lessThan(ask)) {
        intents.push(buy(market, { amount, price: cell.low, tag }));
      }
    }
    isSoldBelow &&= cell.side === 'buy';
    return cell;
  });
  const isSame = state === context.state && cells.every((cell, index) => cell === state.cells[index]);
  return { state: isSame ? state : { ...state, cells }, intents };
}

/** A grid of buying levels, or null while there is no price or no money. */
function begin({ params, market, free }: Context, { bids, asks }: OrderBook): State | null {
  const [bid, ask] = [bids[0]?.[0], asks[0]?.[0]];
  if (bid === undefined || ask === undefined) return null;
  const middle = new Decimal(bid).plus(ask).div(2);
  const low = new Decimal(params.low ?? middle.times(1 - params.rangeBps / 10_000));
  const high = new Decimal(params.high ?? middle.times(1 + params.rangeBps / 10_000));
  if (low.greaterThanOrEqualTo(high))
    throw new Error(`expected low below high, was ${low.toFixed()} and ${high.toFixed()}`);
  const money = new Decimal(free[currenciesOf(market).quote] ?? 0);
  const amount = params.amount ?? money.times(params.share).div(middle).toFixed(8, Decimal.ROUND_DOWN);
  if (!new Decimal(amount).greaterThan(0)) return null;
  const step = high.minus(low).div(params.levels - 1);
  const at = (level: number): string => low.plus(step.times(level)).toFixed(10);
  const cells = Array.from({ length: params.levels - 1 }, (_, index) => buying(at(index), at(index + 1), amount));
  return { shape: shapeOf({ params }), amount, cells };
}

function buying(low: string, high: string, wanted: string): Cell {
  return { low, high, side: 'buy', wanted, done: '0', got: '0', isFilled: false, waitsUntilMs: 0 };
}

/** The cell after its order: what was bought is sold, and what was sold is bought again. */
function turned({ low, high, side, got }: Cell, amount: string): Cell {
  const next = buying(low, high, amount);
  return side === 'buy' ? { ...next, side: 'sell', wanted: got } : next;
}

/** Whether the order is done with: filled, or ended with so little left that it is not worth another one. Rounding takes a little of each. */
function isOver({ side, wanted, done, got, isFilled }: Cell): boolean {
  if (side === 'buy' && !new Decimal(got).greaterThan(0)) return false;
  return isFilled || new Decimal(wanted).minus(done).lessThan(new Decimal(wanted).times(DUST));
}

/** The state with one cell changed; the same when the tag is none of the grid's. */
function change(state: State, tag: string | null, to: (cell: Cell) => Cell): { readonly state: State } {
  if (!state.cells.some((_, index) => tagOf(index) === tag)) return { state };
  return { state: { ...state, cells: state.cells.map((cell, index) => (tagOf(index) === tag ? to(cell) : cell)) } };
}

function tagOf(index: number): string {
  return `cell-${index}`;
}

function shapeOf({ params }: Pick<Context, 'params'>): string {
  return JSON.stringify(params);
}

function plus(left: string, right: string | Decimal): string {
  return new Decimal(left).plus(right).toFixed();
}
