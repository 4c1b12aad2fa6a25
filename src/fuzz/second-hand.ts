import { priceUnits } from '../domain/market.ts';
import type { Side } from '../domain/order.ts';
import { UNITS_PER_ONE, type Price } from '../domain/money.ts';
import type { MarketState } from '../simulator/core/market/market-state.ts';
import { NO_PRICE } from '../simulator/core/trading/order.ts';
import type { Dice } from './dice.ts';
import type { Disturbance } from './disturbance.ts';
import { BOT_USER, type FuzzWorld } from './world.ts';

/** Worth of a manual order: a multiple of its market's minimum order value. */
const LEAST_WORTH = 2;
const MOST_WORTH = 40;
/**
 * Maximum distance of a manual order from the last price, as a share of it: behind the market or through it.
 */
const FARTHEST = 0.01;
/** A withdrawal takes this share of a wallet at most, so that there is something left to trade with. */
const LARGEST_WITHDRAWAL = 0.1;

/** The last price in public steps. */
function lastPriceOf(market: MarketState): number {
  return Math.max(1, Math.round(market.lastPrice / market.priceFactor));
}

function amountWorth(market: MarketState, price: number, times: number): number {
  const { rules } = market;
  const value = (rules.minOrderValue * BigInt(Math.round(times * 100))) / 100n;
  const units = (value * UNITS_PER_ONE) / priceUnits(rules, price as Price);
  return Math.max(1, Number(units / rules.amountStep));
}

function placeByHand(world: FuzzWorld, dice: Dice, timeMs: number): void {
  const market = dice.pick(world.markets);
  const side: Side = dice.happens(0.5) ? 'buy' : 'sell';
  if (market === null) return;
  const execution = dice.happens(0.25) ? 'market' : 'limit';
  const price = Math.max(1, Math.round(lastPriceOf(market) * dice.between(1 - FARTHEST, 1 + FARTHEST)));
  world.exchange.trading.place(
    BOT_USER,
    {
      market: market.rules.symbol,
      side,
      execution,
      mode: 'default',
      amount: amountWorth(market, price, dice.logUniform(LEAST_WORTH, MOST_WORTH)),
      price: execution === 'market' ? null : price,
      stopPrice: null,
      stopLimitPrice: null,
      clientOrderId: dice.happens(0.3) ? `by-hand-${dice.integer(1, 1_000_000)}` : null,
      pro: true,
    },
    timeMs,
  );
}

/** An order like one that the bot has, so that the exchange takes either for a repetition of the other. */
function repeatByHand(world: FuzzWorld, dice: Dice, timeMs: number): void {
  const order = dice.pick(world.bot.open.values());
  if (order === null || order.pair !== null || order.registeredPrice === NO_PRICE) return;
  const { market } = order;
  world.exchange.trading.place(
    BOT_USER,
    {
      market: market.rules.symbol,
      side: order.side,
      execution: order.execution,
      mode: 'default',
      amount: Math.floor(order.amount / market.amountFactor),
      price: Math.round(order.registeredPrice / market.priceFactor),
      stopPrice: order.stopPrice === NO_PRICE ? null : Math.round(order.stopPrice / market.priceFactor),
      stopLimitPrice: null,
      clientOrderId: null,
      pro: true,
    },
    timeMs,
  );
}

function cancelByHand(world: FuzzWorld, dice: Dice, timeMs: number): void {
  const order = dice.pick(world.bot.open.values());
  if (order !== null) world.exchange.trading.cancel(order, timeMs);
}

function deposit(world: FuzzWorld, dice: Dice, timeMs: number): void {
  const { accounts } = world.exchange;
  const wallet = dice.pick(accounts.walletsOf(BOT_USER));
  if (wallet === null) return;
  const units = wallet.total / BigInt(dice.integer(20, 200)) + BigInt(dice.integer(1, 1_000_000));
  accounts.post(wallet, 'outside', { units, description: 'Deposit', timeMs });
}

function withdraw(world: FuzzWorld, dice: Dice, timeMs: number): void {
  const { accounts, trading } = world.exchange;
  const wallet = dice.pick(accounts.walletsOf(BOT_USER));
  if (wallet === null) return;
  const millionths = BigInt(Math.round(dice.between(0.001, LARGEST_WITHDRAWAL) * 1_000_000));
  const units = (wallet.total * millionths) / 1_000_000n;
  trading.cancelUntilCovered(BOT_USER, wallet.currency, { needed: units, timeMs });
  if (units === 0n || wallet.free < units) return;
  accounts.post(wallet, 'outside', { units: -units, description: 'Withdrawal', timeMs });
}

/** A person who uses the bot's account too. */
export const SECOND_HAND: readonly Disturbance[] = [
  { name: 'order by hand', act: placeByHand },
  { name: 'order repeated by hand', act: repeatByHand },
  { name: 'cancel by hand', act: cancelByHand },
  { name: 'deposit', act: deposit },
  { name: 'withdrawal', act: withdraw },
];
