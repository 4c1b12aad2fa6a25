import { DAY_MS } from '../../domain/durations.ts';
import { z } from 'zod';
import { violationsOf, type Violation } from './violation.ts';
import type { HttpResponse } from '../../exchange/transport.ts';
import type { LeavingRequest, WireWitness } from './watched-transport.ts';

const HTTP_FORBIDDEN = 403;
const HTTP_TOO_MANY = 429;

/**
 * Longest time between an admission and its send: within it, a request admitted when the reply came may still
 * leave.
 */
const UNDER_WAY_MS = 250;

/** Read by itself: what the client makes of a reply is part of what is checked. */
const limitReply = z.object({ backOff: z.number().positive(), limit: z.int().positive() });

interface Lowered {
  readonly limit: number;
  /** Time the process got the reply, and the time until which it holds. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * A lowered limit is kept. Once a reply named a limit below the process's own, no window that ends later has
 * more requests of the budget, also after a crash, until a day after the last limit reply. One checker
 * watches all lives of a bot.
 */
export class LoweredLimitChecker implements WireWitness {
  private readonly lowered = new Map<string, Lowered>();
  /** Times at which the last requests of each budget left: as many as its limit. */
  private readonly left = new Map<string, number[]>();
  private readonly found: string[] = [];
  private readonly onLowered: (budget: string) => void;

  constructor(onLowered: (budget: string) => void = () => undefined) {
    this.onLowered = onLowered;
  }

  leaves({ endpoint, atMs }: LeavingRequest): void {
    const { name, limit, windowMs } = endpoint.budget;
    const times = this.left.get(name) ?? [];
    this.left.set(name, times);
    times.push(atMs);
    if (times.length > limit) times.shift();
    const lowered = this.lowered.get(name);
    if (lowered === undefined || atMs <= lowered.fromMs + UNDER_WAY_MS || atMs > lowered.untilMs) return;
    const first = times.at(-1 - lowered.limit);
    if (first === undefined || atMs - first > windowMs) return;
    this.found.push(
      `expected at most ${lowered.limit} requests of ${name} in ${windowMs} ms, as a reply at ${lowered.fromMs} has lowered it to, ${lowered.limit + 1} left from ${first} to ${atMs}`,
    );
  }

  isAnswered(
    { endpoint }: LeavingRequest,
    { response, atMs }: { readonly response: HttpResponse; readonly atMs: number },
  ): void {
    const { status, body } = response;
    if (endpoint.name === 'login' || (status !== HTTP_FORBIDDEN && status !== HTTP_TOO_MANY)) return;
    const { name, limit } = endpoint.budget;
    const before = this.lowered.get(name);
    const holds = before !== undefined && atMs <= before.untilMs ? before : null;
    const named = limitReply.safeParse(jsonOf(body)).data?.limit ?? null;
    if (named !== null && named < (holds?.limit ?? limit)) {
      this.lowered.set(name, { limit: named, fromMs: atMs, untilMs: atMs + DAY_MS });
      this.onLowered(name);
    } else if (holds !== null) this.lowered.set(name, { ...holds, untilMs: atMs + DAY_MS });
  }

  violations(): readonly Violation[] {
    return violationsOf('lowered limits', this.found);
  }
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return null;
  }
}
