import { randomInt } from 'node:crypto';

const LENGTH = 4;
const DIGITS = 36;

/** A random mark of four letters and digits: tells the order ids of one mirror from those of every other. */
export function drawEpoch(): string {
  return Array.from({ length: LENGTH }, () => randomInt(DIGITS).toString(DIGITS)).join('');
}
