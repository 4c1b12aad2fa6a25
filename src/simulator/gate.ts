import type { Budget } from '../domain/rate-limit.ts';
import type { Permission } from './user.ts';
import type { CredentialRegister, GateCaller } from './credentials.ts';
import type { LimitRefusal, RateLimits } from './rate-limits.ts';

/** Credentials that an endpoint requires. */
type GateAccess = 'none' | 'optional-token' | 'token' | Permission | 'merchant';

export interface GateRequest {
  /** Headers by lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly ip: string;
  /** In upper case. */
  readonly method: string;
  /** Path as it was sent, from the first slash, with `?query`. */
  readonly pathWithQuery: string;
  /** Body as it was sent; empty if there is none. */
  readonly body: string;
  readonly access: GateAccess;
  readonly budget: Budget;
  readonly timeMs: number;
}

interface GateAdmission {
  readonly ok: true;
  /** Null if no credentials are needed and none came. */
  readonly caller: GateCaller | null;
}

/** A request that is refused, with its answer. */
interface GateRefusal {
  readonly ok: false;
  readonly kind: 'unauthorized' | 'permission' | LimitRefusal['kind'];
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

type GateDecision = GateAdmission | GateRefusal;

/** Checks an Ed25519 signature; key and signature are URL-safe Base64, with or without padding. */
export type VerifySignature = (check: {
  readonly publicKey: string;
  readonly message: string;
  readonly signature: string;
}) => boolean;

/** Largest difference between a key's timestamp and the exchange's clock in either direction, in ms. */
const CLOCK_WINDOW_MS = 30_000;

const ANYONE: GateAdmission = { ok: true, caller: null };

/** Outcome of checking the credentials of a request. */
type Authentication =
  | {
      readonly kind: 'caller';
      readonly caller: GateCaller;
      readonly permissions: ReadonlySet<Permission> | null;
    }
  | { readonly kind: 'absent' }
  | { readonly kind: 'bad'; readonly detail: string; readonly counts: boolean };

/**
 * Gate of the exchange: it identifies the caller and checks the limits, in this order: blocked IP,
 * credentials, rate limit, permission. So a request without the permission counts against the limit. Sources:
 * interface, "Authentication" and "Limits".
 */
export class Gate {
  private readonly credentials: CredentialRegister;
  private readonly limits: RateLimits;
  private readonly verifySignature: VerifySignature;
  private readonly headerPrefix: string;

  constructor(options: {
    readonly credentials: CredentialRegister;
    readonly limits: RateLimits;
    readonly verifySignature: VerifySignature;
    /** Prefix of the key scheme's headers. */
    readonly serviceName: string;
  }) {
    this.credentials = options.credentials;
    this.limits = options.limits;
    this.verifySignature = options.verifySignature;
    this.headerPrefix = options.serviceName.toLowerCase();
  }

  check(request: GateRequest): GateDecision {
    const { access, budget, ip, timeMs } = request;
    const blocked = this.limits.blockedIp(ip, timeMs);
    if (blocked !== null) return limitAnswer(blocked);
    if (access === 'none' || access === 'merchant') {
      const refusal = this.limits.admit(budget, ip, timeMs);
      return refusal === null ? ANYONE : limitAnswer(refusal);
    }
    const found = this.authenticate(request);
    if (found.kind === 'bad') {
      if (found.counts) this.limits.countBadToken(ip, timeMs);
      return unauthorized(found.detail);
    }
    if (found.kind === 'absent') {
      if (access !== 'optional-token') return unauthorized('Authentication credentials were not provided.');
      const refusal = this.limits.admit(budget, ip, timeMs);
      return refusal === null ? ANYONE : limitAnswer(refusal);
    }
    const refusal = this.limits.admit(budget, budget.per === 'ip' ? ip : found.caller.credentialId, timeMs);
    if (refusal !== null) return limitAnswer(refusal);
    if (found.permissions !== null && access !== 'optional-token') {
      if (access === 'token') return forbidden('This call takes a token, not a key.');
      if (!found.permissions.has(access)) return forbidden(`The key lacks the permission ${access}.`);
    }
    return { ok: true, caller: found.caller };
  }

  private authenticate(request: GateRequest): Authentication {
    const authorization = headerOf(request, 'authorization');
    if (authorization !== null) {
      const caller = authorization.startsWith('Token ')
        ? this.credentials.callerOfToken(authorization.slice(6).trim(), request.timeMs)
        : null;
      return caller === null
        ? { kind: 'bad', detail: 'Invalid token.', counts: true }
        : { kind: 'caller', caller, permissions: null };
    }
    const publicKey = headerOf(request, `${this.headerPrefix}-key`);
    return publicKey === null ? { kind: 'absent' } : this.authenticateKey(publicKey, request);
  }

  private authenticateKey(publicKey: string, request: GateRequest): Authentication {
    const signature = headerOf(request, `${this.headerPrefix}-signature`);
    const timestamp = headerOf(request, `${this.headerPrefix}-timestamp`);
    if (signature === null || timestamp === null)
      return { kind: 'bad', detail: 'Expected a key, a signature and a timestamp together.', counts: true };
    const key = this.credentials.keyOf(publicKey);
    if (key === undefined) return { kind: 'bad', detail: 'Invalid key.', counts: true };
    // A slow clock is no attack: it is refused, but does not bring the IP nearer to its block.
    if (
      !/^\d{1,12}$/.test(timestamp) ||
      Math.abs(request.timeMs - Number(timestamp) * 1000) > CLOCK_WINDOW_MS
    ) {
      return { kind: 'bad', detail: 'The timestamp is not within 30 seconds of the clock.', counts: false };
    }
    const message = `${timestamp}${request.method}${request.pathWithQuery}${request.body}`;
    if (!this.verifySignature({ publicKey: key.publicKey, message, signature }))
      return { kind: 'bad', detail: 'Invalid signature.', counts: true };
    return { kind: 'caller', caller: key.caller, permissions: key.permissions };
  }
}

/** Returns a header with a value, the first one if it came more than once; null if there is none. */
function headerOf(request: GateRequest, name: string): string | null {
  const value = request.headers[name];
  const first = typeof value === 'object' ? value[0] : value;
  return first === undefined || first === '' ? null : first;
}

function unauthorized(detail: string): GateRefusal {
  return { ok: false, kind: 'unauthorized', status: 401, body: { detail }, headers: {} };
}

/** Refuses for a missing permission: a 403 that names it, without the fields of a limit. */
function forbidden(message: string): GateRefusal {
  const body = { status: 'failed', code: 'PermissionDenied', message, detail: message };
  return { ok: false, kind: 'permission', status: 403, body, headers: {} };
}

/** Returns the refusal: 403 for a lockout or a blocked IP, 429 for a back-off; both say how long. */
function limitAnswer(refusal: LimitRefusal): GateRefusal {
  const backOff = Math.max(1, Math.ceil(refusal.waitMs / 1000));
  const isBackOff = refusal.kind === 'back-off' || refusal.kind === 'token-block';
  const message = `Rate limit exceeded: ${refusal.limit} requests per ${refusal.windowMs / 1000} seconds (${refusal.budgetName})`;
  return {
    ok: false,
    kind: refusal.kind,
    status: isBackOff ? 429 : 403,
    body: {
      status: 'failed',
      code: isBackOff ? 'TooManyRequests' : 'RateLimitExceeded',
      message,
      backOff,
      limit: refusal.limit,
    },
    headers: { 'retry-after': String(backOff) },
  };
}
