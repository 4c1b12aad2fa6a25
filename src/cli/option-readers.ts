import { InvalidArgumentError } from 'commander';

/** Reads a whole number within bounds, both included, from an option. */
export function integerOption(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`expected a whole number from ${least} to ${most}.`);
  };
}
