import { createRandom, type RandomSource } from '../domain/random.ts';
import type { Distortion } from './wire/handler.ts';
import { LONGEST_DELAY_MS, type FaultRule } from './fault-rule.ts';

/** Replacement for the answer of a request. */
export type AnswerFault =
  | {
      readonly kind:
        | 'none'
        | 'reset'
        | 'server-error'
        | 'bad-gateway'
        | 'truncated'
        | 'no-result'
        | 'forbidden'
        | 'unauthorized';
    }
  | { readonly kind: 'too-many-requests'; readonly backOff: number; readonly limit: number };

/** Faults applied to one request. */
export interface FaultDecision {
  /** Wait of the request before it is handled; null: it never is. */
  readonly handledAfterMs: number | null;
  /** Delay of the answer after that. */
  readonly answeredAfterMs: number;
  /** Null: the exchange's own answer. */
  readonly answer: AnswerFault | null;
  readonly distortion: Distortion;
}

interface FaultSettings {
  readonly seed?: number | undefined;
  readonly rules?: readonly FaultRule[] | undefined;
  /** Lead of the exchange's clock over all others; negative: behind. */
  readonly clockSkewMs?: number | undefined;
}

const DEFAULT_DELAY_MS = 5_000;
const DEFAULT_LAG_MS = 3_000;
const DEFAULT_BACK_OFF = 12;
const DEFAULT_NAMED_LIMIT = 60;

/** Nothing goes wrong. */
export const NO_FAULT: FaultDecision = {
  handledAfterMs: 0,
  answeredAfterMs: 0,
  answer: null,
  distortion: {},
};

/**
 * A rule at work: how many requests it was for, and its own chance, so that rules do not change each other's.
 */
interface ActiveRule {
  readonly rule: FaultRule;
  readonly random: RandomSource;
  seen: number;
}

/**
 * Decides what goes wrong with which request: the same seed, rules and requests give the same faults. Rules
 * add up: delays grow, and of several faults of the answer the first rule's counts.
 */
export class FaultPlan {
  readonly settings: FaultSettings;
  readonly clockSkewMs: number;
  private readonly rules: readonly ActiveRule[];

  constructor(settings: FaultSettings = {}) {
    this.settings = settings;
    this.clockSkewMs = settings.clockSkewMs ?? 0;
    const seeds = createRandom(settings.seed ?? 1);
    this.rules = (settings.rules ?? []).map((rule) => ({
      rule,
      random: createRandom(Math.floor(seeds.next() * 0x1_0000_0000)),
      seen: 0,
    }));
  }

  /** True if nothing can go wrong. */
  get isQuiet(): boolean {
    return this.rules.length === 0;
  }

  /** Decides the faults of the next request. `endpoint` is null if it is for none of the interface. */
  decide(endpoint: string | null): FaultDecision {
    let decision = NO_FAULT;
    for (const active of this.rules) if (strikes(active, endpoint)) decision = apply(decision, active.rule);
    return decision;
  }
}

function strikes(active: ActiveRule, endpoint: string | null): boolean {
  const { endpoints, requests, probability } = active.rule;
  if (endpoints !== undefined && !endpoints.some((name) => name === endpoint)) return false;
  active.seen += 1;
  const draw = active.random.next();
  if (requests !== undefined && !requests.includes(active.seen)) return false;
  return probability === undefined || draw < probability;
}

function apply(decision: FaultDecision, rule: FaultRule): FaultDecision {
  const delayMs = Math.min(rule.delayMs ?? DEFAULT_DELAY_MS, LONGEST_DELAY_MS);
  const unhandled = rule.isHandled === true ? {} : ({ handledAfterMs: null } as const);
  switch (rule.kind) {
    case 'delay':
      return { ...decision, answeredAfterMs: Math.min(decision.answeredAfterMs + delayMs, LONGEST_DELAY_MS) };
    case 'late':
      return decision.handledAfterMs === null
        ? decision
        : { ...decision, handledAfterMs: Math.min(decision.handledAfterMs + delayMs, LONGEST_DELAY_MS) };
    case 'lost':
      return answered(decision, { answer: { kind: 'none' }, handledAfterMs: null });
    case 'reply-lost':
      return answered(decision, { answer: { kind: 'none' } });
    case 'reset':
      return answered(decision, {
        answer: { kind: 'reset' },
        ...(rule.isHandled === false ? unhandled : {}),
      });
    case 'bad-gateway':
      return answered(decision, {
        answer: { kind: 'bad-gateway' },
        ...(rule.isHandled === false ? unhandled : {}),
      });
    case 'truncated':
    case 'no-result':
      return answered(decision, { answer: { kind: rule.kind } });
    case 'server-error':
      return answered(decision, { answer: { kind: 'server-error' }, ...unhandled });
    case 'forbidden':
    case 'unauthorized':
      return answered(decision, { answer: { kind: rule.kind }, handledAfterMs: null });
    case 'too-many-requests':
      return answered(decision, {
        answer: {
          kind: rule.kind,
          backOff: rule.backOff ?? DEFAULT_BACK_OFF,
          limit: rule.limit ?? DEFAULT_NAMED_LIMIT,
        },
        handledAfterMs: null,
      });
    case 'lagging-lists':
      return distorted(decision, {
        lagMs: rule.lagMs ?? DEFAULT_LAG_MS,
        ...(rule.isUneven === true ? { isUneven: true } : {}),
      });
    case 'shuffled-trades':
      return distorted(decision, { shufflesTrades: true });
    case 'missing-fields':
      return distorted(decision, { omitsFields: true });
    case 'unknown-fields':
      return distorted(decision, { addsFields: true });
  }
}

function answered(
  decision: FaultDecision,
  change: { readonly answer: AnswerFault; readonly handledAfterMs?: null },
): FaultDecision {
  return decision.answer === null ? { ...decision, ...change } : decision;
}

function distorted(decision: FaultDecision, change: Distortion): FaultDecision {
  return { ...decision, distortion: { ...decision.distortion, ...change } };
}
