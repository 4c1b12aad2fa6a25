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
  /** Handled; the reply ends in the middle of its JSON text. */
  'truncated',
  /** HTTP 403 that does not say if a permission or a limit is the reason. */
  'forbidden',
  /** HTTP 429 with `backOff`. */
  'too-many-requests',
  /** HTTP 401, as for a bad token. */
  'unauthorized',
  /** Lists of orders and trades and the history of a wallet are some seconds old. */
  'lagging-lists',
  /** Own trades are not sorted by their ids. */
  'shuffled-trades',
  'missing-fields',
  'unknown-fields',
  /** Handled; HTTP 200 that says ok but lacks the result, as the interface says of the wallets list. */
  'no-result',
] as const;

/** Longest delay in ms; longer ones are shortened to it. */
export const LONGEST_DELAY_MS = 100_000;

const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as [EndpointName, ...EndpointName[]];

/** Schema of a probability, which is text where JSON was read without losing digits. */
const probability = z
  .union([z.number(), z.string().regex(/^\d+(?:\.\d+)?(?:[eE]-?\d{1,3})?$/)], {
    error: 'expected a number from 0 to 1',
  })
  .transform(Number)
  .pipe(z.number().min(0).max(1));

/** Schema of a rule: one kind of fault, and the requests it affects. */
const faultRule = z.strictObject({
  kind: z.enum(FAULT_KINDS),
  /** Endpoints of the rule; all if omitted. */
  endpoints: z.array(z.enum(ENDPOINT_NAMES)).min(1).readonly().optional(),
  /** Numbers of the requests that fail, counted from 1 over the requests to the rule's endpoints. */
  requests: z.array(z.int().min(1)).min(1).readonly().optional(),
  /** Probability of the fault for each request to the rule's endpoints, 0 to 1; 1 if omitted. */
  probability: probability.optional(),
  /** For `delay` and `late`: the delay in ms. */
  delayMs: z.int().min(0).max(LONGEST_DELAY_MS).optional(),
  /** For `lagging-lists`: the age of the lists in ms. */
  lagMs: z.int().min(0).optional(),
  /** For `lagging-lists`: true to show every second hidden trade and line; others appear later. */
  isUneven: z.boolean().optional(),
  /** For `reset`, `server-error` and `bad-gateway`: true if the request is handled all the same. */
  isHandled: z.boolean().optional(),
  /** For `too-many-requests`: the back-off that the reply names, in seconds. */
  backOff: z.int().min(1).optional(),
  /** For `too-many-requests`: the limit that the reply names; 60 if omitted. */
  limit: z.number().optional(),
});

export type FaultRule = Readonly<z.output<typeof faultRule>>;

/** Largest skew, a year: the exchange's clock never goes back, and dates are bounded. */
const LARGEST_SKEW_MS = 366 * 86_400_000;

/** Schema of the faults: at most 100 rules. */
export const faultSettings = z.strictObject({
  seed: z.int().min(0).optional(),
  /** Lead of the exchange's clock over all others in ms; negative if it is behind. */
  clockSkewMs: z.int().min(-LARGEST_SKEW_MS).max(LARGEST_SKEW_MS).optional(),
  rules: z.array(faultRule).max(100).readonly().optional(),
});

type FaultSettings = Readonly<z.output<typeof faultSettings>>;

/** Answer that replaces the exchange's own. */
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

/** Faults of one request. */
interface FaultDecision {
  /** Delay before the request is handled, in ms; null if it never is. */
  readonly handledAfterMs: number | null;
  /** Delay of the answer after that, in ms. */
  readonly answeredAfterMs: number;
  /** Answer in place of the exchange's own; null for none. */
  readonly answer: AnswerFault | null;
  readonly distortion: Distortion;
}

const DEFAULT_DELAY_MS = 5_000;
const DEFAULT_LAG_MS = 3_000;
const DEFAULT_BACK_OFF = 12;
const DEFAULT_NAMED_LIMIT = 60;

/** Decision without any fault. */
export const NO_FAULT: FaultDecision = {
  handledAfterMs: 0,
  answeredAfterMs: 0,
  answer: null,
  distortion: {},
};

/** A rule in use: its count of requests, and its own random source, independent of other rules. */
interface ActiveRule {
  readonly rule: FaultRule;
  readonly random: RandomSource;
  seen: number;
}

/**
 * Decides which faults a request gets: the same seed, rules and requests give the same faults. Rules add up:
 * delays are summed, and of several faults of the answer the first rule's is used.
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

  /** True if no fault can occur. */
  get isQuiet(): boolean {
    return this.rules.length === 0;
  }

  /** Decides the faults of the next request. `endpoint` is null if it is for no endpoint of the interface. */
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

/** Instructions for handling one request: when to handle it, and when and how to reply. */
export interface FaultyExchange {
  /** Delay before it is handled, in ms; null if it never is. */
  readonly handledAfterMs: number | null;
  /** Delay of the outcome after that, in ms. */
  readonly answeredAfterMs: number;
  readonly outcome: 'reply' | 'silence' | 'reset';
  /** Handles the request if it is to be handled, and makes the reply; to be called once, when it is due. */
  readonly handle: (timeMs: number) => WireReply | null;
}

/** The adapter behind a plan of faults, which can be replaced at any time. */
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

  /** Decides the faults of a request that has just arrived. */
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

/** Returns the reply that a fault sends in place of `reply`; only for faults that send one. */
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
