import { MINUTE_MS } from '../domain/time-text.ts';
import { present } from '../domain/errors.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { priceUnits, type Market } from '../domain/market.ts';
import { formatUnits, UNITS_PER_ONE, type Price } from '../domain/money.ts';
import type { Dice } from './dice.ts';
import { BOT_USER, WHALE_USER, type FuzzWorld } from './world.ts';

/** Range of a shock as a share of the price: beyond all near quotes, and to many stops. */
const LEAST_SHOCK = 0.001;
const LARGEST_SHOCK = 0.02;
/** Value of the order behind a shock, in the quote currency: far more than the book holds on its path. */
const SHOCK_WORTH: Readonly<Record<Currency, bigint>> = { rls: 3_000_000_000_000n, usdt: 3_000_000n };

function halt(world: FuzzWorld, dice: Dice): void {
  const market = dice.pick(world.markets);
  if (market === null || market.isClosed) return;
  market.isClosed = true;
  market.closedReason = 'halted';
  world.time.at(world.time.now() + dice.logUniform(0.5, 30) * MINUTE_MS, () => {
    world.advance();
    market.isClosed = false;
    market.closedReason = null;
  });
}

/** Ratio of the coarsest steps to those at the start. */
const COARSEST = 10n;

/** Largest ratio of the minimum order value to that at the start. */
const DEAREST = 3n;

/** Returns twice the amount that may be too small for an order at a price, which moves before the sale. */
export function mostDust(
  { amountStep, minOrderValue }: Pick<Market, 'amountStep' | 'minOrderValue'>,
  price: bigint,
): bigint {
  return 2n * (amountStep * COARSEST + (minOrderValue * DEAREST * UNITS_PER_ONE) / price);
}

/** Returns the largest rounding by the exchange of a price on the former steps. */
export const mostRounding = ({ priceStep }: Pick<Market, 'priceStep'>): bigint => (priceStep * COARSEST) / 2n;

/** Changes steps to ten times coarser or finer than at the start, or back. */
function changeSteps(world: FuzzWorld, dice: Dice): void {
  const index = dice.integer(0, world.markets.length - 1);
  const market = world.markets[index];
  const first = world.rules[index];
  if (market === undefined || first === undefined) return;
  const factors = [1n, 10n, COARSEST * 10n];
  const scaled = (step: bigint): string => formatUnits((step * (dice.pick(factors) ?? 1n)) / 10n);
  market.changeRules({
    priceStep: scaled(first.priceStep),
    amountStep: scaled(first.amountStep),
    minOrderValue: formatUnits((first.minOrderValue * BigInt(dice.integer(5, Number(DEAREST) * 10))) / 10n),
  });
}

/** Ends an accepted order with an unknown status. */
function reject(world: FuzzWorld, dice: Dice, timeMs: number): void {
  const order = dice.pick(world.bot.open.values());
  if (order !== null) world.exchange.trading.reject(order, timeMs);
}

/** Buys or sells through the book for another user. The rest of the order is canceled at once. */
function shock(world: FuzzWorld, dice: Dice, timeMs: number): void {
  const market = dice.pick(world.markets);
  if (market === null) return;
  const side = dice.happens(0.5) ? 'buy' : 'sell';
  const share = dice.logUniform(LEAST_SHOCK, LARGEST_SHOCK);
  const last = market.lastPrice / market.priceFactor;
  const price = Math.max(1, Math.round(last * (side === 'buy' ? 1 + share : 1 - share)));
  const { rules } = market;
  const worth = present(SHOCK_WORTH[rules.quote], () => `the worth of a shock in ${rules.quote}`);
  const units = (worth * UNITS_PER_ONE * UNITS_PER_ONE) / priceUnits(rules, price as Price);
  const placed = world.exchange.trading.place(
    WHALE_USER,
    {
      market: rules.symbol,
      side,
      execution: 'limit',
      mode: 'default',
      amount: Math.max(1, Number(units / rules.amountStep)),
      price,
      stopPrice: null,
      stopLimitPrice: null,
      clientOrderId: null,
      pro: true,
    },
    timeMs,
  );
  if (!placed.ok) return;
  for (const order of placed.value) world.exchange.trading.cancel(order, timeMs);
}

/** Makes accepted orders wait before they enter the book, or ends that. */
function waitBeforeBook(world: FuzzWorld, dice: Dice): void {
  // The settings belong to the exchange, which reads them at each placement.
  Object.assign(world.exchange.trading.settings, {
    newForMs: dice.happens(0.5) ? 0 : dice.integer(100, 8_000),
  });
}

function switchLookup(world: FuzzWorld): void {
  world.bot.lacksClientIdLookup = !world.bot.lacksClientIdLookup;
}

function barFromTrading(world: FuzzWorld, dice: Dice): void {
  world.bot.mayTrade = false;
  world.time.at(world.time.now() + dice.logUniform(0.2, 10) * MINUTE_MS, () => {
    world.advance();
    world.bot.mayTrade = true;
  });
}

function changeFees(world: FuzzWorld, dice: Dice): void {
  const rates = () => ({ maker: dice.integer(0, 3_000), taker: dice.integer(0, 4_000) });
  world.bot.fees = { rls: rates(), usdt: rates() };
}

/**
 * Removes a little from a wallet without a line in its history, as no exchange should; its own sums still add
 * up. Returns true if there was something to remove.
 */
export function loseMoney(world: FuzzWorld, dice: Dice): boolean {
  const { accounts } = world.exchange;
  const wallet = dice.pick(accounts.walletsOf(BOT_USER).filter(({ free }) => free > 1_000_000n));
  if (wallet === null) return false;
  const units = wallet.free / 1_000n;
  wallet.total -= units;
  accounts.houseOf(wallet.currency).outside += units;
  return true;
}

/** Events caused by the exchange itself, and effects of its other users on prices. */
export const EXCHANGE_EVENTS: readonly Disturbance[] = [
  { name: 'halt', act: halt },
  { name: 'new steps', act: changeSteps },
  { name: 'rejection after acceptance', act: reject },
  { name: 'shock', act: shock },
  { name: 'wait before the book', act: waitBeforeBook },
  { name: 'look-up switched', act: switchLookup },
  { name: 'barred from trading', act: barFromTrading },
  { name: 'new fees', act: changeFees },
];

/** An act of others than the bot on the exchange, which happens at random times. */
export interface Disturbance {
  readonly name: string;
  /** Does it once, now. The exchange is at the present time, which is passed in. */
  readonly act: (world: FuzzWorld, dice: Dice, timeMs: number) => void;
}
