import { SarrafError } from '../../domain/errors.ts';
import { formatUnits } from '../../domain/money.ts';
import { DEFAULT_RISK_LIMITS } from './default-risk-limits.ts';
import type { RiskLimits } from './risk-limits.ts';

/** Beyond what any budget of the exchange lets through: more is a slip of the keyboard. */
const LARGEST_COUNT = 1_000_000;
const BPS_OF_ALL = 10_000;

/**
 * Limits from those that differ from the defaults.
 * @throws SarrafError `INVALID_OPTIONS` for a count, time or distance that is no whole number of its range, and for a negative value.
 */
export function createRiskLimits(wanted: Partial<RiskLimits> = {}): RiskLimits {
  const limits = { ...DEFAULT_RISK_LIMITS, ...wanted };
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === 'number') refuseUnlessWhole(name, value);
    else if (value !== null && typeof value === 'object') refuseWrongParts(name, value);
  }
  return limits;
}

function refuseWrongParts(name: string, parts: object): void {
  for (const [part, value] of Object.entries(parts) as [string, unknown][]) {
    if (typeof value === 'number') refuseUnlessWhole(`${name}.${part}`, value);
    if (typeof value === 'bigint' && value < 0n) {
      throw new SarrafError(
        'INVALID_OPTIONS',
        `expected ${name}.${part} to be zero or more, or null for no limit, was ${formatUnits(value)}`,
      );
    }
  }
}

function refuseUnlessWhole(name: string, value: number): void {
  const most = largestOf(name);
  const least = name === 'lossCooldown.losses' ? 1 : 0;
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected ${name} to be a whole number from ${least} to ${most}, or null for no limit, was ${value}`,
  );
}

function largestOf(name: string): number {
  if (name === 'passiveCollarBps') return BPS_OF_ALL * 100;
  if (name.endsWith('Bps')) return BPS_OF_ALL;
  return name.endsWith('Ms') ? Number.MAX_SAFE_INTEGER : LARGEST_COUNT;
}
