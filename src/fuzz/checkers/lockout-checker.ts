import type { HttpResponse } from '../../exchange/transport.ts';
import { violationsOf, type Violation } from './violation.ts';
import type { LeavingRequest, WireWitness } from './watched-transport.ts';

const HTTP_FORBIDDEN = 403;
const HTTP_TOO_MANY = 429;

/** The least that a lockout lasts where the reply does not say ("HTTP status codes"). */
const UNSAID_MS = 3_600_000;

/**
 * Longest time between an admission and its send: within it, a request admitted when the reply came may still
 * leave.
 */
const UNDER_WAY_MS = 250;

/**
 * A lockout is kept: once the process got a limit reply, nothing of that budget leaves before the wait is
 * over, also after a crash. One checker watches all lives of a bot.
 */
export class LockoutChecker implements WireWitness {
  private readonly closed = new Map<string, { readonly fromMs: number; readonly untilMs: number }>();
  private readonly found: string[] = [];

  leaves({ endpoint, atMs }: LeavingRequest): void {
    const { name } = endpoint.budget;
    const lockout = this.closed.get(name);
    if (lockout === undefined || atMs <= lockout.fromMs + UNDER_WAY_MS || atMs >= lockout.untilMs) return;
    this.found.push(
      `expected nothing of ${name} from ${lockout.fromMs} to ${lockout.untilMs}, which a reply had locked out, a request left at ${atMs}`,
    );
  }

  isAnswered(
    { endpoint }: LeavingRequest,
    { response, atMs }: { readonly response: HttpResponse; readonly atMs: number },
  ): void {
    if (response.status !== HTTP_FORBIDDEN && response.status !== HTTP_TOO_MANY) return;
    const { name } = endpoint.budget;
    const before = this.closed.get(name);
    const untilMs = Math.max(atMs + waitOf(response), before?.untilMs ?? 0);
    const fromMs = before !== undefined && before.untilMs > atMs ? before.fromMs : atMs;
    this.closed.set(name, { fromMs, untilMs });
  }

  violations(): readonly Violation[] {
    return violationsOf('lockouts', this.found);
  }
}

/**
 * The longest of the waits that a reply names: in its body, and in `Retry-After`, which stays when a body is
 * cut off. Read by itself: what the client makes of a reply is part of what is checked.
 */
function waitOf({ body, headers }: HttpResponse): number {
  const inBody = /"backOff":\s*(\d+)/.exec(body)?.[1];
  const inHeader = /^\d+$/.exec(headers['retry-after'] ?? '')?.[0];
  const seconds = [inBody, inHeader].filter((text) => text !== undefined).map(Number);
  return seconds.length === 0 ? UNSAID_MS : Math.max(...seconds) * 1_000;
}
