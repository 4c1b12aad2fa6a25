import { SarrafError } from '../domain/errors.ts';

/**
 * The number at a place of a column that has it.
 * @throws SarrafError `INVARIANT` beyond its ends
 */
export function numberAt(values: Float64Array, place: number): number {
  const value = values[place];
  if (value === undefined)
    throw new SarrafError('INVARIANT', `expected a place below ${values.length}, was ${place}`);
  return value;
}
