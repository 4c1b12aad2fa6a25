import { dirname, isAbsolute, resolve } from 'node:path';
import { Scalar, isMap, isScalar, type Document } from 'yaml';
import type { Located } from '../../configuration/load-yaml.ts';
import { readFailure, type ReadSmallFile } from '../../configuration/secret-file.ts';
import type { NamedCredential } from '../../engine/credential-watch.ts';
import { SECRET_FIELDS, type CredentialSettings } from '../../venues/live/credentials-settings.ts';

const CREDENTIALS_PATH = ['exchange', 'credentials'] as const;

/** No token, key or password is longer. */
const LARGEST_SECRET_BYTES = 8_192;

export interface CredentialTexts {
  readonly problems: readonly Located[];
  readonly warnings: readonly Located[];
}

/** Whether a path leads to or into the credentials, whose values are texts and never repeated. */
export function isCredential(path: readonly PropertyKey[]): boolean {
  return CREDENTIALS_PATH.every((part, index) => part === path[index]);
}

/** Warns of secrets that stand in the file itself. To be called before references are put in. */
export function warnOfPlainSecrets(document: Document): readonly Located[] {
  return secretScalars(document).flatMap(({ name, node }) => {
    const { value } = node;
    if (typeof value !== 'string' || value.includes('${') || value.startsWith('file:')) return [];
    const message = `the ${name} is written in plain: better $\{NAME} of the environment, or file: and a path`;
    return [{ path: [...CREDENTIALS_PATH, name], key: false, message }];
  });
}

/**
 * Puts what the files hold in place of `file:` and their paths, which count from the folder of the
 * configuration.
 */
export function readSecretFiles(
  document: Document,
  of: { readonly folder: string; readonly readFile: ReadSmallFile },
): CredentialTexts {
  const problems: Located[] = [];
  const warnings: Located[] = [];
  for (const { name, node } of secretScalars(document)) {
    if (typeof node.value !== 'string' || !node.value.startsWith('file:')) continue;
    const path = [...CREDENTIALS_PATH, name];
    const file = resolve(of.folder, node.value.slice('file:'.length));
    try {
      const { text, isOpenToAll } = of.readFile(file, LARGEST_SECRET_BYTES);
      node.value = text.trim();
      if (node.value === '')
        problems.push({ path, key: false, message: `expected a secret in ${file}, was empty` });
      if (isOpenToAll) {
        warnings.push({
          path,
          key: false,
          message: `everyone on this machine can read ${file}: run chmod 600 on it`,
        });
      }
    } catch (error) {
      problems.push({ path, key: false, message: `${file}: ${readFailure(error)}` });
    }
  }
  return { problems, warnings };
}

/** The folder that paths of a configuration count from. */
export function credentialFolderOf(file: string | null, workingFolder: string): string {
  if (file === null) return workingFolder;
  return dirname(isAbsolute(file) ? file : resolve(workingFolder, file));
}

function secretScalars(document: Document): readonly { readonly name: string; readonly node: Scalar }[] {
  const credentials = document.getIn(CREDENTIALS_PATH, true);
  if (!isMap(credentials)) return [];
  return SECRET_FIELDS.flatMap((name) => {
    const node = credentials.get(name, true);
    return isScalar(node) ? [{ name, node }] : [];
  });
}

/**
 * Where the secret of a configuration comes from, in words; null without one. To be asked before references
 * are put in.
 */
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
