import { createHash } from 'node:crypto';

const HEX = 16;
const SEED_DIGITS = 8;

/** Returns the seed of a draw: one of its own for each run of each trial of each study. */
export function stressSeed(of: {
  readonly id: string;
  readonly trial: number;
  readonly run: string;
}): number {
  const digest = createHash('sha256').update(`${of.id}\n${of.trial}\n${of.run}`).digest('hex');
  return Number.parseInt(digest.slice(0, SEED_DIGITS), HEX);
}
