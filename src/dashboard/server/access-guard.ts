import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessStore, Person } from '../access-store.ts';
import {
  csrfOf,
  isCsrfOf,
  originProblem,
  sessionCookie,
  sessionInCookie,
  tokenInHeader,
} from '../access/request-origin.ts';
import { SignInPace } from '../access/sign-in-pace.ts';
import { ApiError } from '../api-error.ts';
import { VERSION } from '../../exchange/version.ts';
import type { Role, SessionBody, SessionReply } from '../schema/session.ts';

/** Somebody who was let in. */
export interface SignedIn extends Person {
  /** The secret of the cookie session; null with a token in the header. */
  readonly session: string | null;
  readonly endsAtMs: number | null;
}

interface AccessGuardOptions {
  readonly store: AccessStore;
  readonly isSecure: boolean;
  readonly language: SessionReply['language'];
  readonly nowMs: () => number;
}

/** Decides who may do what. */
export class AccessGuard {
  private readonly options: AccessGuardOptions;
  private readonly pace = new SignInPace();

  constructor(options: AccessGuardOptions) {
    this.options = options;
  }

  /**
   * Returns the permitted person of a request. Throws `ApiError`: without a token, with a wrong one, if a
   * role is not enough, and if another page than ours sends a command.
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
    const { language } = this.options;
    return {
      name,
      role,
      csrf: session === null ? null : csrfOf(session),
      endsAtMs,
      language,
      version: VERSION,
    };
  }

  /** Browsers send the cookies of a host to each of its ports: those of two bots have different names. */
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

  /** Only the page itself has the words that go with its cookie. */
  private checkPage(request: FastifyRequest, session: string): void {
    const problem = originProblem(originOf(request), this.options.isSecure);
    if (problem !== null) throw new ApiError('wrong-origin', problem);
    const sent = request.headers['x-csrf-token'];
    if (!isCsrfOf(session, typeof sent === 'string' ? sent : undefined))
      throw new ApiError('wrong-origin', 'expected the header x-csrf-token of this session, was another');
  }

  /**
   * A right token is never held up: the wrong ones of others may come from the same address, such as that of
   * a proxy, and one of 256 bits is not guessed.
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
