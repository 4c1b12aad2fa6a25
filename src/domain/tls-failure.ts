/**
 * TLS failures by the codes of Node and OpenSSL, or by their messages if a library has replaced the code. The
 * first match is used; its words follow "found".
 */
const FAILURES: readonly (readonly [RegExp, string])[] = [
  [
    /CERT_HAS_EXPIRED|certificate has expired/,
    'a certificate that has expired: the server needs a new one, or the clock of this machine is wrong',
  ],
  [
    /CERT_NOT_YET_VALID|certificate is not yet valid/,
    'a certificate that is not valid yet: see the clocks of this machine and of the server',
  ],
  [
    /DEPTH_ZERO_SELF_SIGNED_CERT|self-signed certificate(?! in)/,
    'a certificate that the server signed itself: if it is the right one, name its file in NODE_EXTRA_CA_CERTS',
  ],
  [
    /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|certificate in certificate chain|unable to (?:get (?:local )?issuer|verify the first)/,
    'a certificate of an authority that this machine does not know: name its file in NODE_EXTRA_CA_CERTS',
  ],
  [
    /ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate's altnames/,
    'a certificate for another host name: use the name that is in the certificate',
  ],
  [
    /WRONG_VERSION_NUMBER|wrong version number|PACKET_LENGTH_TOO_LONG|packet length too long|ERR_SSL_HTTP_REQUEST/,
    'a port that speaks no TLS: name the port that does, or an address without TLS (http://, redis://)',
  ],
  [
    /PROTOCOL_VERSION|protocol version|UNSUPPORTED_PROTOCOL|unsupported protocol/,
    'no version of TLS that both sides speak: this one speaks 1.2 and 1.3',
  ],
];

const IS_TLS = /\b(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO_)|SSL routines/;

/** Maximum number of nested causes of an error that are examined. */
const DEEPEST = 5;

/** Describes a TLS failure in plain words, also as the cause of an error; null for any other error. */
export function tlsFailure(error: unknown, depth = 0): string | null {
  if (!(error instanceof Error) || depth > DEEPEST) return null;
  const { code = '' } = error as NodeJS.ErrnoException;
  const text = `${code} ${error.message}`;
  const [, words] = FAILURES.find(([pattern]) => pattern.test(text)) ?? [];
  if (words !== undefined) return words;
  if (IS_TLS.test(text)) return `no TLS that can be trusted (${code === '' ? error.message : code})`;
  // `error` and `errors` are where grammY and Node keep what was behind it.
  const { error: inner, errors = [] } = error as {
    readonly error?: unknown;
    readonly errors?: readonly unknown[];
  };
  for (const one of [error.cause, inner, ...errors]) {
    const found = tlsFailure(one, depth + 1);
    if (found !== null) return found;
  }
  return null;
}
