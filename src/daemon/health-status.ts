import type { DataAge, HealthSource, LockoutState } from './health/health-source.ts';

/** A loop whose last turn is older is taken for dead. */
export const OLDEST_HEARTBEAT_MS = 10_000;

/** As many reasons of one kind are named; the rest are counted. */
const MOST_NAMED = 10;

/** The answer to a supervisor. */
export interface HealthStatus {
  readonly ok: boolean;
  /** Reasons if not ok, in sentences. */
  readonly reasons: readonly string[];
  /** The locks that hold, in sentences. They make no bot unwell: a lock is wanted, and ways out pass it. */
  readonly locks: readonly string[];
}

function statusOf(source: HealthSource, reasons: readonly string[]): HealthStatus {
  return { ok: reasons.length === 0, reasons, locks: bounded(source.locks(), ({ text }) => text) };
}

function secondsText(timeMs: number): string {
  return `${Math.ceil(timeMs / 1_000)} s`;
}

function bounded<Item>(items: readonly Item[], text: (item: Item) => string): string[] {
  const named = items.slice(0, MOST_NAMED).map(text);
  return items.length > MOST_NAMED ? [...named, `and ${items.length - MOST_NAMED} more like it`] : named;
}

function staleText({ feed, ageMs, longestAgeMs }: DataAge): string {
  const age = ageMs === null ? 'was never read' : `is ${secondsText(ageMs)} old`;
  return `${feed} ${age}; the limit is ${secondsText(longestAgeMs)}`;
}

function lockoutText({ budget, forMs }: LockoutState): string {
  return forMs === null ? `${budget} is locked out` : `${budget} is locked out for ${secondsText(forMs)}`;
}

function livingReasons(source: HealthSource): readonly string[] {
  const reasons: string[] = [];
  const ageMs = source.heartbeatAgeMs();
  if (!(ageMs < OLDEST_HEARTBEAT_MS)) {
    reasons.push(
      `the loop last ran ${secondsText(ageMs)} ago; the limit is ${secondsText(OLDEST_HEARTBEAT_MS)}`,
    );
  }
  const fault = source.mirrorFault();
  if (fault !== null) reasons.push(`the mirror can not be written to: ${fault}`);
  return reasons;
}

/**
 * Checks that the bot is alive: states that a restart could fix. Lockouts, breaks and halts are excluded: a
 * restart does not improve them.
 */
export function livenessStatus(source: HealthSource): HealthStatus {
  return statusOf(source, livingReasons(source));
}

/** Feeds that an order does not wait for: while they were never read it is no reason against one. */
const NOT_WAITED_FOR: ReadonlySet<string> = new Set(['transactions', 'options']);

/** Checks that an order could leave right now, by known facts. */
export function readinessStatus(source: HealthSource): HealthStatus {
  const phase = source.phase();
  const halt = source.haltReason();
  const fault = source.credentialFault();
  const placing = source.placingFault();
  const waitsFor = source.waitsFor();
  const stale = source
    .dataAges()
    .filter(({ feed, ageMs, longestAgeMs }) =>
      ageMs === null ? !NOT_WAITED_FOR.has(feed) : ageMs > longestAgeMs,
    );
  return statusOf(source, [
    ...livingReasons(source),
    ...(waitsFor === null ? [] : [waitsFor]),
    ...(phase === 'syncing' ? ['it is still reading the state of its account and orders'] : []),
    ...(phase === 'draining' ? ['it is ending'] : []),
    ...(halt === null && phase !== 'halted' ? [] : [`trading is halted: ${halt ?? 'no reason is known'}`]),
    ...(source.isDiskFull() ? ['the disk is full, so no orders are placed'] : []),
    ...(fault === null ? [] : [fault]),
    ...(placing === null ? [] : [placing]),
    ...bounded(source.breaks(), (text) => `the books do not agree with the exchange: ${text}`),
    ...bounded(source.doubts(), (text) => text),
    ...bounded(source.lockouts(), lockoutText),
    ...bounded(stale, staleText),
  ]);
}
