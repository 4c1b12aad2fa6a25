import { randomBytes } from 'node:crypto';

/** A count by when it was begun. */
export function epochName(begunMs: number): string {
  return `${begunMs}-${randomBytes(6).toString('hex')}`;
}

/** Returns when a count was begun, in numbers that only rise. */
export function begunOf(epoch: string): number {
  return Number(epoch.split('-', 1)[0]);
}
