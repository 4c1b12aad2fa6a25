import { z } from 'zod';
import { ENDPOINTS, type EndpointName } from '../exchange/endpoints.ts';
import { createRandom, type RandomSource } from '../domain/random.ts';
import type { Distortion } from './wire/handler.ts';
import type { WireAdapter, WireReply, WireRequest } from './wire/wire-adapter.ts';

/** Faults that can occur between a request and its reply. */
export const FAULT_KINDS = [
  /** Handled at once, answered later. */
  'delay',
  /** Handled and answered later: after the sender's time-out, if the delay is long enough. */
  'late',
  /** Never handled, never answered. */
  'lost',
  /** Handled, never answered. */
  'reply-lost',
  /** The connection is reset. */
  'reset',
  /** HTTP 500 with JSON. */
  'server-error',
  /** HTTP 502 with a web page, as a proxy writes it. */
  'bad-gateway',
  /** Handled; the reply ends in the middle of its JSON. */
  'truncated',
  /** HTTP 403 that does not say whether it is a permission or a limit. */
  'forbidden',
  /** HTTP 429 with `backOff`. */
  'too-many-requests',
  /** HTTP 401, as for a bad token. */
  'unauthorized',
  /** Lists of orders and trades and the history of a wallet are as they were some seconds ago. */
  'lagging-lists',
  /** Own trades come in another order than that of their ids. */
  'shuffled-trades',
  'missing-fields',
  'unknown-fields',
  /**
   * HTTP 200 that says ok and lacks what was asked for, as the interface says of the wallets list under load.
   * Handled.
   */
  'no-result',
] as const;

/** Delays are cut down to this. */
export const LONGEST_DELAY_MS = 100_000;

const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as [EndpointName, ...EndpointName[]];

/** A share; as text where JSON was read without losing digits. */
const probability = z
  .union([z.number(), z.string().regex(/^\d+(?:\.\d+)?(?:[eE]-?\d{1,3})?$/)], {
    error: 'expected a number from 0 to 1',
  })
  .transform(Number)
  .pipe(z.number().min(0).max(1));

/** One thing that goes wrong, and when. */
const faultRule = z.strictObject({
  kind: z.enum(FAULT_KINDS),
  /** Only requests to these; all without it. */
  endpoints: z.array(z.enum(ENDPOINT_NAMES)).min(1).readonly().optional(),
  /**
   * A script: the numbers, counted from 1, of the requests this rule is for (those to its endpoints) that go
   * wrong.
   */
  requests: z.array(z.int().min(1)).min(1).readonly().optional(),
  /** Of each request the rule is for, 0 to 1; 1 without it. */
  probability: probability.optional(),
  /** For `delay` and `late`. */
  delayMs: z.int().min(0).max(LONGEST_DELAY_MS).optional(),
  /** For `lagging-lists`. */
  lagMs: z.int().min(0).optional(),
  /**
   * For `lagging-lists`: every second one of the own trades and lines that lag is there all the same, so
   * that those between come later.
   */
  isUneven: z.boolean().optional(),
  /** For `reset`, `server-error` and `bad-gateway`: whether the request is handled all the same. */
  isHandled: z.boolean().optional(),
  /** For `too-many-requests`, in seconds. */
  backOff: z.int().min(1).optional(),
  /** For `too-many-requests`: the limit that it names, as it is to stand there; 60 without it. */
  limit: z.number().optional(),
});

export type FaultRule = Readonly<z.output<typeof faultRule>>;

/** A year: the exchange's clock never goes back, and dates end somewhere. */
const LARGEST_SKEW_MS = 366 * 86_400_000;

/** Faults to apply. At most 100 rules. */
export const faultSettings = z.strictObject({
  seed: z.int().min(0).optional(),
  /** Lead of the exchange's clock over all others; negative: behind. */
  clockSkewMs: z.int().min(-LARGEST_SKEW_MS).max(LARGEST_SKEW_MS).optional(),
  rules: z.array(faultRule).max(100).readonly().optional(),
});

type FaultSettings = Readonly<z.output<typeof faultSettings>>;

/** Replacement for the answer of a request. */
type AnswerFault =
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
interface FaultDecision {
  /** Wait of the request before it is handled; null: it never is. */
  readonly handledAfterMs: number | null;
  /** Delay of the answer after that. */
  readonly answeredAfterMs: number;
  /** Null: the exchange's own answer. */
  readonly answer: AnswerFault | null;
  readonly distortion: Distortion;
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

/**
 * Instructions to a shell for one request: the time to have it handled, and the time and kind of the reply.
 */
export interface FaultyExchange {
  /** Before it is handled; null: it never is. */
  readonly handledAfterMs: number | null;
  /** After it was (to be) handled. */
  readonly answeredAfterMs: number;
  readonly outcome: 'reply' | 'silence' | 'reset';
  /** Has it handled, if it is to be, and makes the reply; call it once, when it is due. */
  readonly handle: (timeMs: number) => WireReply | null;
}

/** The adapter with a plan of faults before it. The plan can be exchanged while running. */
export class FaultyAdapter {
  readonly adapter: WireAdapter;
  plan: FaultPlan;

  constructor(adapter: WireAdapter, plan: FaultPlan) {
    this.adapter = adapter;
    this.plan = plan;
  }

  /** True if requests can be passed on unchanged. */
  get isQuiet(): boolean {
    return this.plan.isQuiet;
  }

  /** Decides about a request that has just arrived. */
  receive(request: WireRequest): FaultyExchange {
    const decision = this.plan.decide(this.adapter.endpointOf(request));
    return {
      handledAfterMs: decision.handledAfterMs,
      answeredAfterMs: decision.answeredAfterMs,
      outcome: outcomeOf(decision),
      handle: (timeMs) => this.handle(request, { timeMs, decision }),
    };
  }

  private handle(
    request: WireRequest,
    at: { readonly timeMs: number; readonly decision: FaultDecision },
  ): WireReply | null {
    const { answer, handledAfterMs, distortion } = at.decision;
    const reply = handledAfterMs === null ? null : this.adapter.handle(request, at.timeMs, distortion);
    return answer === null ? reply : faultyReply(answer, reply);
  }
}

function outcomeOf({ answer }: FaultDecision): FaultyExchange['outcome'] {
  if (answer?.kind === 'none') return 'silence';
  return answer?.kind === 'reset' ? 'reset' : 'reply';
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WireReply {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) };
}

/** The bytes that a fault sends in place of `reply`. Not for faults that send nothing. */
function faultyReply(fault: AnswerFault, reply: WireReply | null): WireReply {
  switch (fault.kind) {
    case 'truncated':
      return reply === null ? json(200, {}) : { ...reply, body: reply.body.slice(0, reply.body.length >> 1) };
    case 'no-result':
      return json(200, { status: 'ok' });
    case 'bad-gateway':
      return {
        status: 502,
        headers: { 'content-type': 'text/html' },
        body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n',
      };
    case 'forbidden':
      return json(403, { detail: 'Forbidden.' });
    case 'unauthorized':
      return json(401, { detail: 'Invalid token.' });
    case 'too-many-requests': {
      const { backOff, limit } = fault;
      const body = {
        status: 'failed',
        code: 'TooManyRequests',
        message: 'Too many requests',
        backOff,
        limit,
      };
      return json(429, body, { 'retry-after': String(backOff) });
    }
    case 'none':
    case 'reset':
    case 'server-error':
      return json(500, { status: 'failed', code: 'InternalError', message: 'Temporary server error' });
  }
}
