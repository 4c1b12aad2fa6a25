import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AccessStore, type Person, isSameHash } from '../access-store.ts';
import { ApiError } from '../api-error.ts';
import { VERSION } from '../../exchange/version.ts';
import type { Role, SessionBody, SessionReply } from '../schema/session.ts';
import { createHash } from 'node:crypto';
import { retainNewest } from '../../domain/retain-newest.ts';

/** Signed-in person of a request. */
export interface SignedIn extends Person {
  /** Secret of the cookie session; null if the header has a token. */
  readonly session: string | null;
  readonly endsAtMs: number | null;
}

interface AccessGuardOptions {
  readonly store: AccessStore;
  readonly isSecure: boolean;
  readonly language: SessionReply['language'];
  readonly lab: string | null;
  readonly nowMs: () => number;
}

/** Decides whether a request is allowed. */
export class AccessGuard {
  private readonly options: AccessGuardOptions;
  private readonly pace = new SignInPace();

  constructor(options: AccessGuardOptions) {
    this.options = options;
  }

  /**
   * Returns the person of an allowed request. Throws `ApiError` without a token, with a wrong one, if the
   * role is not enough, and for a command that comes from another page.
   */
  check(request: FastifyRequest, needed: Role): SignedIn {
    const person = this.personOf(request);
    if (request.method !== 'GET' && person.session !== null) this.checkPage(request, person.session);
    if (needed === 'operate' && person.role !== 'operate')
      throw new ApiError(
        'not-allowed',
        `expected a token of the role operate, ${person.name} has ${person.role}`,
      );
    return person;
  }

  /** Signs in with a token or a code, and sets the cookie. */
  signIn(request: FastifyRequest, reply: FastifyReply, body: SessionBody): SessionReply {
    const problem = originProblem(originOf(request), this.options.isSecure);
    if (request.headers.origin !== undefined && problem !== null) throw new ApiError('wrong-origin', problem);
    const person = this.tried(request.ip, () =>
      'token' in body ? this.options.store.personOf(body.token) : this.options.store.redeemLink(body.code),
    );
    const { secret, endsAtMs } = this.options.store.beginSession(person);
    const lastsMs = endsAtMs - this.options.nowMs();
    void reply.header('set-cookie', sessionCookie(secret, { ...this.cookieOf(request), lastsMs }));
    return this.sessionReply({ ...person, session: secret, endsAtMs });
  }

  signOut(request: FastifyRequest, person: SignedIn, reply: FastifyReply): void {
    if (person.session !== null) this.options.store.endSession(person.session);
    void reply.header('set-cookie', sessionCookie(null, { ...this.cookieOf(request), lastsMs: 0 }));
  }

  sessionReply({ name, role, session, endsAtMs }: SignedIn): SessionReply {
    const { language, lab } = this.options;
    return {
      name,
      role,
      csrf: session === null ? null : csrfOf(session),
      endsAtMs,
      language,
      version: VERSION,
      lab,
    };
  }

  /**
   * Returns the session of the cookie, whose name has the port: browsers send cookies to all ports of a host.
   */
  private cookieOf({ socket }: FastifyRequest): { readonly isSecure: boolean; readonly port: number } {
    return { isSecure: this.options.isSecure, port: socket.localPort ?? 0 };
  }

  private personOf(request: FastifyRequest): SignedIn {
    const { authorization, cookie } = request.headers;
    if (authorization !== undefined) {
      const token = tokenInHeader(authorization);
      const person = this.tried(request.ip, () =>
        token === null ? null : this.options.store.personOf(token),
      );
      return { ...person, session: null, endsAtMs: null };
    }
    const secret = sessionInCookie(cookie, this.cookieOf(request).port);
    const session = secret === null ? null : this.options.store.sessionOf(secret);
    if (secret !== null && session !== null) return { ...session, session: secret };
    throw new ApiError(
      'no-token',
      'expected a session, or a token as "Authorization: Bearer …": sign in with the token of the file dashboard-token in the data folder, or with "sarraf token link"',
    );
  }

  /** Throws unless a command has the token that belongs to its cookie, which only the page itself knows. */
  private checkPage(request: FastifyRequest, session: string): void {
    const problem = originProblem(originOf(request), this.options.isSecure);
    if (problem !== null) throw new ApiError('wrong-origin', problem);
    const sent = request.headers['x-csrf-token'];
    if (!isCsrfOf(session, typeof sent === 'string' ? sent : undefined))
      throw new ApiError('wrong-origin', 'expected the header x-csrf-token of this session, was another');
  }

  /**
   * Finds a person, and limits wrong tries. A right token is never delayed: an address, such as a proxy's,
   * may be shared with others who send wrong ones, and 256 bits cannot be guessed.
   */
  private tried(address: string, find: () => Person | null): Person {
    const person = find();
    if (person !== null) {
      this.pace.right(address);
      return person;
    }
    const message = 'expected a token or code that holds, was another';
    throw this.pace.refuse(address, this.options.nowMs(), message);
  }
}

function originOf(request: FastifyRequest) {
  const { host, origin } = request.headers;
  const fetchSite = request.headers['sec-fetch-site'];
  return { host, origin, fetchSite: typeof fetchSite === 'string' ? fetchSite : undefined };
}

interface OriginHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/**
 * Returns why a request that changes something, admitted by a cookie, cannot come from the page itself; null
 * if it can. A browser states a page's origin; a form of another site, a sandboxed frame (`null`) and a
 * sibling host are refused. One without an `Origin` is refused too: every browser sends it with a POST.
 */
export function originProblem(headers: OriginHeaders, isSecure: boolean): string | null {
  const { host, origin, fetchSite } = headers;
  const own = `${isSecure ? 'https' : 'http'}://${host ?? ''}`;
  if (origin === undefined) return 'expected the header Origin of the page itself, was none';
  if (origin.toLowerCase() !== own.toLowerCase())
    return 'expected the header Origin of the page itself, was another';
  if (fetchSite !== undefined && fetchSite !== 'same-origin')
    return 'expected the header Sec-Fetch-Site: same-origin, was another';
  return null;
}

/** Returns the token that the page sends with each command: derived from the session, and in no cookie. */
function csrfOf(sessionSecret: string): string {
  return createHash('sha256').update('csrf ').update(sessionSecret).digest('base64url');
}

function isCsrfOf(sessionSecret: string, sent: string | undefined): boolean {
  return isSameHash(Buffer.from(sent ?? ''), Buffer.from(csrfOf(sessionSecret)));
}

const cookieName = (port: number): string => `sarraf_session_${port}`;

/** Returns the secret in a `Cookie` header; null if there is none. */
export function sessionInCookie(header: string | undefined, port: number): string | null {
  for (const part of (header ?? '').split(';')) {
    const [name, value = ''] = part.trim().split('=', 2);
    if (name === cookieName(port) && /^[\w-]{40,60}$/.test(value)) return value;
  }
  return null;
}

/** Returns a `Set-Cookie` header; without a secret it deletes the cookie. */
function sessionCookie(
  secret: string | null,
  of: { readonly isSecure: boolean; readonly port: number; readonly lastsMs: number },
): string {
  const { isSecure, port, lastsMs } = of;
  const age = secret === null ? 0 : Math.max(0, Math.floor(lastsMs / 1_000));
  return [
    `${cookieName(port)}=${secret ?? ''}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${age}`,
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
}

/** Returns the token in an `Authorization` header; null if there is none. */
export function tokenInHeader(header: string | undefined): string | null {
  return /^Bearer ([\w-]{1,200})$/i.exec(header ?? '')?.[1] ?? null;
}

/** Number of wrong tokens without a wait: a person may paste the wrong one. */
const FREE_TRIES = 5;

/** Wait after the next wrong token, in ms, which doubles with each further one. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;

/** Time without a wrong token, in ms, after which the tries of an address are forgotten. */
const FORGOTTEN_AFTER_MS = 900_000;

/** Maximum number of remembered addresses; the oldest is dropped. */
const MOST_ADDRESSES = 1_000;

interface Tries {
  count: number;
  lastMs: number;
}

/**
 * Limits how often an address may try a token. It slows guesses, which 256 bits make hopeless anyway, and
 * prevents them from filling a log. Sessions and their cookies are not checked: nobody can lock a page out by
 * guessing.
 */
export class SignInPace {
  private readonly byAddress = new Map<string, Tries>();

  /** Returns the time an address must wait before it may try; 0 for none. */
  waitMs(address: string, nowMs: number): number {
    const tries = this.triesOf(address, nowMs);
    if (tries === undefined) return 0;
    const beyond = tries.count - FREE_TRIES;
    if (beyond <= 0) return 0;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (beyond - 1));
    return Math.min(waitMs, Math.max(0, tries.lastMs + waitMs - nowMs));
  }

  wrong(address: string, nowMs: number): void {
    const count = (this.triesOf(address, nowMs)?.count ?? 0) + 1;
    this.byAddress.delete(address);
    this.byAddress.set(address, { count, lastMs: nowMs });
    retainNewest(this.byAddress, MOST_ADDRESSES);
  }

  /** Counts a wrong token, unless the address has to wait. Returns the error to answer. */
  refuse(address: string, nowMs: number, message: string): ApiError {
    const waitMs = this.waitMs(address, nowMs);
    if (waitMs > 0)
      return new ApiError(
        'too-many-tries',
        `expected no further try for ${Math.ceil(waitMs / 1_000)} s after so many wrong tokens`,
        { retryAfterMs: waitMs },
      );
    this.wrong(address, nowMs);
    return new ApiError('wrong-token', message);
  }

  right(address: string): void {
    this.byAddress.delete(address);
  }

  /**
   * Returns the tries that are not forgotten. One far in the future is from before the clock was set back.
   */
  private triesOf(address: string, nowMs: number): Tries | undefined {
    const tries = this.byAddress.get(address);
    return tries !== undefined && Math.abs(nowMs - tries.lastMs) < FORGOTTEN_AFTER_MS ? tries : undefined;
  }
}
