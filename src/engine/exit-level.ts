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
 * Requested price level. `ratio`: a share of the price it is measured from, units of 1e-10. `distance`: quote
 * currency for one of the base currency. `money`: quote currency for the whole position.
 */
export interface ExitLevel {
  readonly by: 'price' | 'ratio' | 'distance' | 'money';
  readonly units: Units;
}

/** Origin from which a level is measured: a price, and for `money` the amount held. */
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

/** The price of a level above what it is measured from. */
export function priceAbove(level: ExitLevel, from: LevelOrigin): Units {
  return level.by === 'price' ? level.units : addUnits(from.price, distanceOf(level, from));
}

/** The same below it; zero or less where it is further away than the price is high. */
export function priceBelow(level: ExitLevel, from: LevelOrigin): Units {
  return level.by === 'price' ? level.units : subtractUnits(from.price, distanceOf(level, from));
}
