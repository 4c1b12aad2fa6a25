import { NO_UNITS, parseUnits, type Units } from '../domain/money.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { Dice } from './dice.ts';

/** Share of the strategies that are given coins: the others sell what they have bought. */
const GIVEN_SHARE = 0.7;

/** All strategies together are given less than the account has. */
const LEAST = { btc: 0.02, usdt: 500 } as const;
const MOST = { btc: 0.4, usdt: 25_000 } as const;

/** Of the largest position that a strategy may have, where that is limited. */
const LEAST_OF_LIMIT = 0.1;
const MOST_OF_LIMIT = 0.9;

type Coin = keyof typeof LEAST;

const isCoin = (asset: string): asset is Coin => asset in LEAST;

/** Returns the amount of a coin given to a strategy of a seed; the same in every life. */
function drawn(
  seed: number,
  strategy: string,
  { asset, limit }: { readonly asset: string; readonly limit: Units | undefined },
): Units {
  const dice = Dice.of(seed, `inventory of ${strategy}`);
  if (!isCoin(asset) || !dice.happens(GIVEN_SHARE)) return NO_UNITS;
  const amount =
    limit === undefined
      ? dice.logUniform(LEAST[asset], MOST[asset])
      : (Number(limit) / 1e10) * dice.between(LEAST_OF_LIMIT, MOST_OF_LIMIT);
  return parseUnits(amount.toFixed(6));
}

/** The strategy with the coins of its market that it is given: tether counts with capital. */
export function withInventory(
  instance: StrategyInstanceSettings,
  seed: number,
  limits: Readonly<Record<string, Units>>,
): StrategyInstanceSettings {
  const { name, market } = instance.runner;
  const { base } = parseMarket(market);
  const given = drawn(seed, name, { asset: base, limit: limits[base] });
  if (given === 0n) return instance;
  return base === 'usdt'
    ? { ...instance, capital: { usdt: given } }
    : { ...instance, inventory: { [base]: given } };
}
