import { randomInt } from 'node:crypto';

const LENGTH = 4;
const DIGITS = 36;

/** A random mark of four letters and digits: distinguishes the order ids of one mirror from all others. */
export function drawEpoch(): string {
  return Array.from({ length: LENGTH }, () => randomInt(DIGITS).toString(DIGITS)).join('');
}
