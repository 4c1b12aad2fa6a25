import { SarrafError } from '../domain/errors.ts';
import { tlsFailure } from '../domain/tls-failure.ts';

interface SystemError {
  readonly code?: string;
  readonly syscall?: string;
  readonly errors?: readonly unknown[];
  /** Bytes that a broken connection has brought, where it is known. */
  readonly socket?: { readonly bytesRead?: number };
}

const NAME_CODES: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME']);

/** True if an error belongs to making the connection, so that no byte of a request was written. */
function isConnecting({ code, syscall, errors }: SystemError): boolean {
  if (syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT') return true;
  return (
    errors !== undefined && errors.length > 0 && errors.every((inner) => isConnecting(inner as SystemError))
  );
}

/** Returns the known cause, in words. */
function reasonOf(cause: unknown, { code = '', socket }: SystemError): string {
  const said = tlsFailure(cause) ?? (cause instanceof Error && cause.message !== '' ? cause.message : code);
  // A server of TLS closes at plain HTTP, or answers with an alert, which is no HTTP.
  return code.startsWith('HPE_') || socket?.bytesRead === 0
    ? `${said}; where a server speaks TLS, its address begins with https://`
    : said;
}

/**
 * The error for a request that got no answer, by what is known: before the request was begun nothing was
 * sent; after it, anything may have happened, whatever the reason.
 */
export function transportFailure(
  cause: unknown,
  where: { readonly target: string; readonly begun: boolean },
): SarrafError {
  if (cause instanceof SarrafError) return cause;
  const error = (cause ?? {}) as SystemError;
  const code = error.code ?? '';
  const reason = reasonOf(cause, error);
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return new SarrafError('REPLY_TOO_LARGE', `${where.target}: the reply is larger than allowed`, { cause });
  }
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return new SarrafError('CLOSED', `${where.target}: the client is closed`, {
      cause,
      outcome: where.begun ? 'unknown' : 'none',
    });
  }
  if (!where.begun || isConnecting(error)) {
    if (NAME_CODES.has(code)) {
      return new SarrafError(
        'HOST_NOT_FOUND',
        `${where.target}: the host name could not be resolved (${code})`,
        {
          cause,
        },
      );
    }
    if (code === 'ECONNREFUSED') {
      return new SarrafError('CONNECTION_REFUSED', `${where.target}: the connection was refused`, { cause });
    }
    return new SarrafError('CONNECTION_FAILED', `${where.target}: no connection (${reason})`, { cause });
  }
  return new SarrafError(
    'CONNECTION_LOST',
    `${where.target}: the connection ended before the reply (${reason})`,
    {
      cause,
    },
  );
}
