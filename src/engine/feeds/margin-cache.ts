import type { DecimalText } from '../../domain/decimal-text.ts';
import { formatUnits, subtractUnits } from '../../domain/money.ts';
import { marginTopic, type PoolReading, type MarginReading, type SeenMargin } from '../../records/margin.ts';
import type { WalletReading } from '../../venues/port.ts';
import type { IssueLog } from '../issue-log.ts';
import type { Outbox } from '../outbox.ts';
import { type ValidationIssue, walletIssue } from './plausibility.ts';

interface MarginCacheOptions {
  readonly outbox: Outbox;
  readonly findings: IssueLog;
  /** Sends a reading to the strategies that subscribed to it. */
  readonly emit: (topic: string, seen: SeenMargin) => void;
}

/**
 * Holds the last reading of each kind of margin data. A reading with an impossible number is not used: the
 * one before stays, and ages. Nothing is stored: a restart reads it again.
 */
export class MarginCache {
  private readonly options: MarginCacheOptions;
  private readonly seen = new Map<string, SeenMargin>();

  constructor(options: MarginCacheOptions) {
    this.options = options;
  }

  /** Returns the last reading of a topic (`marginTopic`); null before the first. */
  get(topic: string): SeenMargin | null {
    return this.seen.get(topic) ?? null;
  }

  applyPools(pools: readonly PoolReading[]): void {
    const numbers = pools.flatMap(({ currency, capacity, filledCapacity, availableBalance }) =>
      Object.entries({ capacity, filledCapacity, availableBalance }).map(
        ([field, text]) => [`${field} of ${currency}`, text] as const,
      ),
    );
    this.apply({ kind: 'pools', pools }, firstNegative(numbers));
  }

  applyLimitOf(currency: string, limit: DecimalText): void {
    this.apply({ kind: 'delegation-limit', currency, limit }, firstNegative([['limit', limit]]));
  }

  applyWallets(readings: readonly WalletReading[]): void {
    const issue = readings.map(walletIssue).find((one) => one !== null) ?? null;
    const wallets = (issue === null ? readings : []).map(({ currency, total, held }) => ({
      currency,
      total: formatUnits(total),
      held: formatUnits(held),
      free: formatUnits(subtractUnits(total, held)),
    }));
    this.apply({ kind: 'margin-wallets', wallets }, issue);
  }

  /** Notes that the exchange refused a reading, and its reason; the feed is polled again. */
  refused(topic: string, { code, message }: { readonly code: string; readonly message: string }): void {
    const issue = { field: 'answer', expected: 'a reading', found: `${code}: ${message}` };
    this.options.findings.note(topic, issue, { isGrave: false });
  }

  private apply(reading: MarginReading, issue: ValidationIssue | null): void {
    const { outbox, findings, emit } = this.options;
    const topic = marginTopic(reading);
    if (issue !== null) {
      findings.note(topic, issue, { isGrave: false });
      return;
    }
    if (findings.entries.size > 0) findings.clear(topic);
    const seen: SeenMargin = { reading, seenAtMs: outbox.nowMs };
    this.seen.set(topic, seen);
    emit(topic, seen);
  }
}

function firstNegative(
  numbers: readonly (readonly [field: string, text: DecimalText | null])[],
): ValidationIssue | null {
  for (const [field, text] of numbers) {
    if (text?.startsWith('-') === true) return { field, expected: 'not below 0', found: text };
  }
  return null;
}
