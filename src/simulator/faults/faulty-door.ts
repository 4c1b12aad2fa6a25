import type { WireDoor, WireReply, WireRequest } from '../wire/door.ts';
import type { FaultDecision, FaultPlan } from './fault-plan.ts';
import { faultyReply } from './faulty-reply.ts';

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

/** The door with a plan of faults before it. The plan can be exchanged while running. */
export class FaultyDoor {
  readonly door: WireDoor;
  plan: FaultPlan;

  constructor(door: WireDoor, plan: FaultPlan) {
    this.door = door;
    this.plan = plan;
  }

  /** True if requests can be passed on unchanged. */
  get isQuiet(): boolean {
    return this.plan.isQuiet;
  }

  /** Decides about a request that has just arrived. */
  receive(request: WireRequest): FaultyExchange {
    const decision = this.plan.decide(this.door.endpointOf(request));
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
    const reply = handledAfterMs === null ? null : this.door.handle(request, at.timeMs, distortion);
    return answer === null ? reply : faultyReply(answer, reply);
  }
}

function outcomeOf({ answer }: FaultDecision): FaultyExchange['outcome'] {
  if (answer?.kind === 'none') return 'silence';
  return answer?.kind === 'reset' ? 'reset' : 'reply';
}
