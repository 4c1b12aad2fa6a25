import {
  multiplyUnits,
  subtractUnits,
  addUnits,
  type Units,
  UNITS_PER_ONE,
  divideDown,
  divideHalfEven,
} from '../domain/money.ts';

/**
 * Price level as requested. `ratio`: share of the origin's price, in units of 1e-10. `distance`: quote
 * currency for each coin. `money`: quote currency for the whole position.
 */
export interface ExitLevel {
  readonly by: 'price' | 'ratio' | 'distance' | 'money';
  readonly units: Units;
}

/** Point from which a level is measured: a price, and the amount held, which `money` needs. */
export interface LevelOrigin {
  readonly price: Units;
  readonly amount: Units;
}

/** Returns the distance of a level from a price. */
export function distanceOf({ by, units }: ExitLevel, { price, amount }: LevelOrigin): Units {
  switch (by) {
    case 'price':
      return units > price ? subtractUnits(units, price) : subtractUnits(price, units);
    case 'ratio':
      return multiplyUnits(price, units, divideHalfEven);
    case 'distance':
      return units;
    case 'money':
      return divideDown(units * UNITS_PER_ONE, amount) as Units;
  }
}

/** Returns the price of a level above its origin. */
export function priceAbove(level: ExitLevel, from: LevelOrigin): Units {
  return level.by === 'price' ? level.units : addUnits(from.price, distanceOf(level, from));
}

/** Returns the price of a level below its origin; zero or less if the distance exceeds the price. */
export function priceBelow(level: ExitLevel, from: LevelOrigin): Units {
  return level.by === 'price' ? level.units : subtractUnits(from.price, distanceOf(level, from));
}
