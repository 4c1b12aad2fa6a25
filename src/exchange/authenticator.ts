import { SarrafError } from '../domain/errors.ts';
import type { Access } from './endpoint.ts';
import { createSigner, type ApiKey } from './signing.ts';

/** The part of a request that credentials are made for. */
export interface UnsignedRequest {
  readonly endpointName: string;
  readonly access: Access;
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
}

/** Turns credentials into headers, and is notified whether the exchange accepted them. */
export interface Authenticator {
  /**
   * @throws SarrafError `UNAUTHORIZED` when these credentials can not make the call; nothing is sent then.
   */
  headersFor(request: UnsignedRequest): Promise<Readonly<Record<string, string>>>;
  /** The exchange accepted these headers. */
  accepted(headers: Readonly<Record<string, string>>): void;
  /** The exchange answered 401 to these headers. */
  rejected(headers: Readonly<Record<string, string>>): void;
}

const ignore = (): void => {};

function needs(request: UnsignedRequest, expected: string): never {
  throw new SarrafError('UNAUTHORIZED', `${request.endpointName}: expected ${expected}; nothing was sent`);
}

/** True if a call is always made without credentials. */
export function isAnonymous(access: Access): boolean {
  return access === 'none' || access === 'merchant';
}

export function noCredentials(): Authenticator {
  return {
    headersFor: async (request) =>
      isAnonymous(request.access) || request.access === 'optional-token'
        ? {}
        : needs(request, 'a token or a key, was none'),
    accepted: ignore,
    rejected: ignore,
  };
}

/** A token made elsewhere, such as in the user panel. It can not be renewed. */
export function fixedToken(token: string): Authenticator {
  if (!/^[\x21-\x7e]{1,1024}$/.test(token)) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected a token without spaces, was text of ${token.length} characters`,
    );
  }
  const headers = { authorization: `Token ${token}` };
  return {
    headersFor: async (request) => (isAnonymous(request.access) ? {} : headers),
    accepted: ignore,
    rejected: ignore,
  };
}

/** The key scheme: three headers whose names begin with the service's name, in place of `Authorization`. */
export function keyCredentials(
  key: ApiKey,
  options: { readonly serviceName: string; readonly nowMs: () => number },
): Authenticator {
  const sign = createSigner(key);
  const prefix = options.serviceName.charAt(0).toUpperCase() + options.serviceName.slice(1);
  return {
    async headersFor(request) {
      const { access, method, path, body } = request;
      if (isAnonymous(access) || access === 'optional-token') return {};
      if (access === 'token') needs(request, 'a token, was a key, which this call does not take');
      const timestamp = String(Math.floor(options.nowMs() / 1000));
      return {
        [`${prefix}-Key`]: key.publicKey,
        [`${prefix}-Signature`]: sign({ timestamp, method, path, body }),
        [`${prefix}-Timestamp`]: timestamp,
      };
    },
    accepted: ignore,
    rejected: ignore,
  };
}
