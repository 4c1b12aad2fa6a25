import { createRandom, type RandomSource } from '../../domain/random.ts';
import { SpotRefusal } from './refusal.ts';
import type { SpotFaultRule } from './settings.ts';

/** Faults that strike one request. */
export interface StruckFaults {
  /** Delay before the request reaches the exchange, and of its reply, in ms. */
  readonly requestDelayMs: number;
  readonly replyDelayMs: number;
  /** Age of what reads see, in ms. */
  readonly staleMs: number;
  /** Kind that takes the place of the effect, and of the reply after it; null for none. */
  readonly before: SpotFaultRule['kind'] | null;
  readonly after: SpotFaultRule['kind'] | null;
}

export const NO_FAULTS: StruckFaults = {
  requestDelayMs: 0,
  replyDelayMs: 0,
  staleMs: 0,
  before: null,
  after: null,
};

/** Kinds that take the place of the effect. */
const BEFORE: ReadonlySet<string> = new Set(['timeout-before', 'busy', 'gateway-before', 'firewall']);

/** Reply that a fault makes. */
export interface FaultReply {
  readonly status: number;
  readonly body: string;
  readonly isHtml: boolean;
}

const json = (refusal: SpotRefusal): FaultReply => ({
  status: refusal.status,
  body: JSON.stringify(refusal.body),
  isHtml: false,
});

/** Page of a gateway or firewall. */
const html = (status: number, title: string): FaultReply => ({
  status,
  body: `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center></body></html>\n`,
  isHtml: true,
});

export const firewallReply = (): FaultReply => html(403, 'ERROR: The request could not be satisfied');

/** Returns the reply of a fault that takes the place of another one. */
export function faultReply(kind: SpotFaultRule['kind']): FaultReply {
  switch (kind) {
    case 'timeout-after':
    case 'timeout-before':
      return json(
        new SpotRefusal(
          -1007,
          'Timeout waiting for response from backend server. Send status unknown; execution status unknown.',
          { status: 504 },
        ),
      );
    case 'unexpected-after':
      return json(
        new SpotRefusal(
          -1006,
          'An unexpected response was received from the message bus. Execution status unknown.',
          { status: 500 },
        ),
      );
    case 'busy':
      return json(
        new SpotRefusal(
          -1008,
          'Server is currently overloaded with other requests. Please try again in a few minutes.',
          {
            status: 503,
          },
        ),
      );
    case 'firewall':
      return firewallReply();
    case 'gateway-after':
    case 'gateway-before':
    case 'stale':
    case 'late-reply':
    case 'late-request':
      return html(502, '502 Bad Gateway');
  }
}

/** Strikes requests by the configured rules. Each rule has dice of its own: one does not change another. */
export class FaultDice {
  private readonly rules: readonly {
    readonly rule: SpotFaultRule;
    readonly random: RandomSource;
    struck: number;
  }[];

  constructor(rules: readonly SpotFaultRule[], seed: number) {
    this.rules = rules.map((rule, index) => ({
      rule,
      random: createRandom(seed + 7_919 * (index + 1)),
      struck: 0,
    }));
  }

  /** Decides on one request; `path` is the part after `/api/v3/`. */
  strike(method: string, path: string): StruckFaults {
    if (this.rules.length === 0) return NO_FAULTS;
    let found = NO_FAULTS;
    for (const each of this.rules) {
      const { rule } = each;
      const isMeant =
        (rule.methods.length === 0 || rule.methods.some((one) => one === method)) &&
        path.startsWith(rule.path);
      if (!isMeant || (rule.times !== undefined && each.struck >= rule.times)) continue;
      if (each.random.next() >= rule.share) continue;
      each.struck += 1;
      found = withFault(found, rule);
    }
    return found;
  }
}

function withFault(faults: StruckFaults, { kind, ms }: SpotFaultRule): StruckFaults {
  if (kind === 'stale') return { ...faults, staleMs: ms };
  if (kind === 'late-reply') return { ...faults, replyDelayMs: ms };
  if (kind === 'late-request') return { ...faults, requestDelayMs: ms };
  return BEFORE.has(kind)
    ? { ...faults, before: faults.before ?? kind }
    : { ...faults, after: faults.after ?? kind };
}
