import type { PollRules } from '../venues/poll-rules.ts';

/** Places in the queue at a price that people choose from. */
export const QUEUE_PLACES = ['back', 'front'] as const;

/** Rules for how orders fill among recorded ones, as people write them: only what is not the default. */
export interface PollRuleOptions {
  /** Of a request, and of its reply, in ms. */
  readonly latency?: number;
  /** Delay until own trades are listed, in ms. */
  readonly tradesLag?: number;
  readonly queue?: (typeof QUEUE_PLACES)[number];
}

/** Rules of the options; what is left out has its default. */
export function pollRulesOf({ latency, tradesLag, queue }: PollRuleOptions): Partial<PollRules> {
  return {
    ...(latency === undefined ? {} : { latency: { kind: 'constant', outMs: latency, backMs: latency } }),
    ...(tradesLag === undefined ? {} : { tradesLagMs: tradesLag }),
    ...(queue === undefined ? {} : { queue: { kind: queue } }),
  };
}
