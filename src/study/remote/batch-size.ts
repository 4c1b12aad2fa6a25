/** Target duration of one job. Shorter jobs cost more to hand over; longer ones are lost with a worker. */
const TARGET_MS = 2_000;
/** Trials of one job at most: what a job holds has a bound, however short they are. */
const MOST_OF_BATCH = 200;

/** Trials that are asked for at once at most. */
const MOST_AT_ONCE = 2_000;
/** So many are asked for before it is known who computes. */
const AT_ONCE_UNKNOWN = 16;

/**
 * Returns the number of trials in a job: as many as last 2 s, and so few that every thread gets some. One at
 * first, because the duration of a trial is not known.
 */
export function batchSize(of: {
  /** Mean duration of a trial; null if none has ended. */
  readonly trialMs: number | null;
  /** Trials that are ready to be handed out. */
  readonly ready: number;
  /** Of all workers. */
  readonly threads: number;
}): number {
  const fair = Math.ceil(of.ready / Math.max(1, of.threads));
  return Math.max(1, Math.min(sizeByTime(of.trialMs), fair));
}

/** Two jobs for each thread: one that it computes, and one that it takes next. */
export function trialsAtOnce(of: { readonly trialMs: number | null; readonly threads: number }): number {
  if (of.threads === 0) return AT_ONCE_UNKNOWN;
  return Math.min(MOST_AT_ONCE, of.threads * 2 * sizeByTime(of.trialMs));
}

function sizeByTime(trialMs: number | null): number {
  if (trialMs === null) return 1;
  return Math.min(MOST_OF_BATCH, Math.max(1, Math.round(TARGET_MS / Math.max(1, trialMs))));
}
