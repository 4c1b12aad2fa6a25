import { MINUTE_MS } from '../domain/time-text.ts';
import type { EndpointName } from '../exchange/endpoints.ts';
import { FAULT_KINDS, type FaultRule } from '../simulator-server/fault-plan.ts';
import type { Dice } from './dice.ts';

/** A stretch of a run in which some faults are likely. Times are from the beginning of the run. */
export interface FaultEpisode {
  readonly fromMs: number;
  readonly toMs: number;
  readonly rules: readonly FaultRule[];
}

const LONGEST_BACK_OFF_S = 86_400;
/**
 * Limits of a run of a day or more may lock the bot out for as long; a shorter run would see nothing else.
 */
const LONG_RUN_MS = 24 * 3_600_000;

/** Requests that change the exchange: where a fault hurts most. */
const CHANGING: readonly EndpointName[] = ['addOrder', 'updateOrderStatus'];
const LISTS: readonly EndpointName[] = ['ordersList', 'tradesList', 'orderStatus'];
/**
 * Of which the interface says that they may answer without a result, and lists like it. A change that says ok
 * has been made.
 */
const RESULTLESS: readonly EndpointName[] = ['walletsList', 'wallets', ...LISTS];

/**
 * Range of the probability of each kind of fault, for each request. Faults that lock out a budget or the
 * account are rare, since each costs hours.
 */
const PROBABILITIES: Readonly<Record<FaultRule['kind'], readonly [least: number, most: number]>> = {
  delay: [0.005, 0.4],
  late: [0.005, 0.3],
  lost: [0.005, 0.3],
  'reply-lost': [0.01, 0.4],
  reset: [0.005, 0.3],
  'server-error': [0.005, 0.3],
  'bad-gateway': [0.005, 0.3],
  truncated: [0.005, 0.3],
  forbidden: [0.000_03, 0.000_3],
  'too-many-requests': [0.000_1, 0.003],
  unauthorized: [0.000_03, 0.000_5],
  'lagging-lists': [0.05, 1],
  'shuffled-trades': [0.05, 1],
  'missing-fields': [0.01, 0.5],
  'unknown-fields': [0.05, 1],
  'no-result': [0.01, 0.5],
};

/** One kind of fault with everything about it drawn. */
function drawRule(dice: Dice, kind: FaultRule['kind'], runMs: number): FaultRule {
  const [least, most] = PROBABILITIES[kind];
  const aim = dice.pick<readonly EndpointName[] | null>([null, null, CHANGING, LISTS]);
  return {
    kind,
    probability: dice.logUniform(least, most),
    ...(aim === null || kind === 'lagging-lists' || kind === 'shuffled-trades' ? {} : { endpoints: aim }),
    ...(kind === 'no-result' ? { endpoints: RESULTLESS } : {}),
    ...(kind === 'delay' || kind === 'late' ? { delayMs: Math.round(dice.logUniform(500, 100_000)) } : {}),
    ...(kind === 'lagging-lists'
      ? { lagMs: Math.round(dice.logUniform(500, 20_000)), isUneven: dice.happens(0.5) }
      : {}),
    ...(kind === 'reset' || kind === 'server-error' || kind === 'bad-gateway'
      ? { isHandled: dice.happens(0.5) }
      : {}),
    ...(kind === 'too-many-requests'
      ? { backOff: Math.round(dice.logUniform(5, runMs >= LONG_RUN_MS ? LONGEST_BACK_OFF_S : 600)) }
      : {}),
  };
}

/**
 * The faults of a run: a seed's own subset of the kinds, in episodes with quiet phases between them. That
 * most seeds lack most kinds is what finds more than all of them at once: a fault that hides another is
 * absent in half of the seeds.
 */
export function drawEpisodes(dice: Dice, runMs: number): readonly FaultEpisode[] {
  const kinds = dice.some(FAULT_KINDS, dice.between(0.15, 0.6));
  const episodes: FaultEpisode[] = [];
  const meanMs = runMs / dice.integer(4, 24);
  let fromMs = dice.between(0, 10 * MINUTE_MS);
  while (fromMs < runMs) {
    const toMs = Math.min(runMs, fromMs + MINUTE_MS + dice.exponential(meanMs));
    const rules = dice.some(kinds, 0.7).map((kind) => drawRule(dice, kind, runMs));
    if (rules.length > 0) episodes.push({ fromMs, toMs, rules });
    fromMs = toMs + dice.exponential(meanMs / 2);
  }
  return episodes;
}

/** Undocumented behaviour of a deployment's list of own trades. */
export interface TradeHabits {
  /** Times at which every trade gets another id, from the beginning of the run. */
  readonly renumberedAtMs: readonly number[];
  /** Time that the list goes back; null for as far as it does by itself. */
  readonly listedMs: number | null;
}

const RENUMBERED_SHARE = 0.25;
const MOST_TIMES = 3;

/** Days of a deployment are minutes here, so that a dead bot or a stall of the exchange outlasts them. */
const SHORT_SHARE = 0.25;
const SHORTEST_MINUTES = 2;
const LONGEST_MINUTES = 30;

export function drawTradeHabits(dice: Dice, runMs: number): TradeHabits {
  const times = dice.happens(RENUMBERED_SHARE) ? dice.integer(1, MOST_TIMES) : 0;
  const renumberedAtMs = Array.from({ length: times }, () => Math.round(dice.between(0.05, 0.95) * runMs));
  const isShort = dice.happens(SHORT_SHARE);
  const listedMs = isShort
    ? Math.round(dice.logUniform(SHORTEST_MINUTES, LONGEST_MINUTES) * MINUTE_MS)
    : null;
  return { renumberedAtMs, listedMs };
}
