import { isMap, isScalar, type Document } from 'yaml';
import type { NamedCredential } from '../../engine/credential-watch.ts';
import { SECRET_FIELDS, type CredentialSettings } from '../../venues/live/credentials-settings.ts';

const CREDENTIALS_PATH = ['exchange', 'credentials'] as const;

/** Where the secret of a configuration comes from, in words; null without one. To be asked before references are put in. */
export function credentialPlace(document: Document, file: string | null): string | null {
  const credentials = document.getIn(CREDENTIALS_PATH, true);
  if (!isMap(credentials)) return null;
  for (const name of SECRET_FIELDS) {
    const node = credentials.get(name, true);
    if (isScalar(node) && typeof node.value === 'string') return placeOf(node.value, file);
  }
  return null;
}

function placeOf(text: string, file: string | null): string {
  const variable = /^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-.*)?\}$/s.exec(text)?.[1];
  if (variable !== undefined) return `the environment variable ${variable}`;
  if (text.startsWith('file:')) return `the file ${text.slice('file:'.length)}`;
  return file === null ? 'the configuration' : `the configuration ${file}`;
}

/** How a credential is called without its value, and what to do when the exchange refuses it. */
export function credentialAdvice(settings: CredentialSettings, place: string | null): NamedCredential {
  const from = place === null ? 'the configuration' : place;
  const again = `put it into ${from}, and restart the bot`;
  switch (settings.kind) {
    case 'token':
      return {
        name: `the token of exchange.credentials.token, from ${from}`,
        advice: `it has expired, was revoked or is mistyped: make a new token on the exchange's own page, ${again}`,
      };
    case 'key':
      return {
        name: `the API key of exchange.credentials.key, whose private part is from ${from}`,
        advice: `see on the exchange's own page whether the key is still there and allows this address, and whether this machine's clock is right; or make a new key, ${again}`,
      };
    case 'login':
      return {
        name: `the log-in of exchange.credentials.username, whose password is from ${from}`,
        advice: `a new log-in is tried once, then every ten minutes; if it stays refused, see whether name, password and one-time password still work on the exchange's own page, correct what is in ${from}, and restart the bot`,
      };
  }
}
