import { sentence, type Sentence } from '../language/sentence.ts';
import { dirname, isAbsolute, resolve } from 'node:path';
import { Scalar, isMap, isScalar, isSeq, type Document, type YAMLMap } from 'yaml';
import type { Located } from '../configuration/load-yaml.ts';
import { readFailure, type ReadSmallFile } from '../configuration/secret-file.ts';
import type { NamedCredential } from '../engine/request-watches.ts';
import { CHANNEL_SECRETS } from './alert-settings.ts';
import { SECRET_FIELDS, type CredentialSettings } from '../venues/client-credentials.ts';

const CREDENTIALS_PATH = ['exchange', 'credentials'] as const;
const CHANNELS_PATH = ['alerts', 'channels'] as const;
const IS_CHANNEL_SECRET: ReadonlySet<string> = new Set(CHANNEL_SECRETS);

/** Largest size of a file with a token, key or password, in bytes. */
const LARGEST_SECRET_BYTES = 8_192;

/**
 * True if a path is that of the credentials or of a secret of an alert channel, or a part of them. Their
 * values are texts and are never repeated.
 */
export function isCredential(path: readonly PropertyKey[]): boolean {
  return (
    CREDENTIALS_PATH.every((part, index) => part === path[index]) ||
    (CHANNELS_PATH.every((part, index) => part === path[index]) && IS_CHANNEL_SECRET.has(String(path[3])))
  );
}

/** Returns a warning for each secret in the file itself. Call it before references are substituted. */
export function warnOfPlainSecrets(document: Document): readonly Located[] {
  return secretScalars(document).flatMap(({ name, path, node }) => {
    const { value } = node;
    // Addresses with a secret in them are as usual as those without, so there is no warning.
    if (name === 'url' || typeof value !== 'string' || value.includes('${') || value.startsWith('file:'))
      return [];
    const message = `the ${name} is written in plain: better $\{NAME} of the environment, or file: and a path`;
    return [{ path, key: false, message }];
  });
}

/**
 * Replaces `file:` and a path by the content of that file. Paths are relative to the folder of the
 * configuration.
 */
export function readSecretFiles(
  document: Document,
  of: { readonly folder: string; readonly readFile: ReadSmallFile },
): { readonly problems: readonly Located[]; readonly warnings: readonly Located[] } {
  const problems: Located[] = [];
  const warnings: Located[] = [];
  for (const { path, node } of secretScalars(document)) {
    if (typeof node.value !== 'string' || !node.value.startsWith('file:')) continue;
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

/** Returns the folder that paths of a configuration are relative to. */
export function credentialFolderOf(file: string | null, workingFolder: string): string {
  if (file === null) return workingFolder;
  return dirname(isAbsolute(file) ? file : resolve(workingFolder, file));
}

interface SecretScalar {
  readonly name: string;
  readonly path: readonly PropertyKey[];
  readonly node: Scalar;
}

function secretScalars(document: Document): readonly SecretScalar[] {
  const credentials = document.getIn(CREDENTIALS_PATH, true);
  const channels = document.getIn(CHANNELS_PATH, true);
  return [
    ...(isMap(credentials) ? scalarsOf(credentials, CREDENTIALS_PATH, SECRET_FIELDS) : []),
    ...(isSeq(channels) ? channels.items : []).flatMap((channel, index) =>
      isMap(channel) ? scalarsOf(channel, [...CHANNELS_PATH, index], CHANNEL_SECRETS) : [],
    ),
  ];
}

function scalarsOf(
  map: YAMLMap,
  path: readonly PropertyKey[],
  names: readonly string[],
): readonly SecretScalar[] {
  return names.flatMap((name) => {
    const node = map.get(name, true);
    return isScalar(node) ? [{ name, path: [...path, name], node }] : [];
  });
}

/**
 * Describes the source of a configuration's secret; null if there is none. Call it before references are
 * substituted.
 */
export function credentialPlace(document: Document, file: string | null): Sentence | null {
  const credentials = document.getIn(CREDENTIALS_PATH, true);
  if (!isMap(credentials)) return null;
  for (const name of SECRET_FIELDS) {
    const node = credentials.get(name, true);
    if (isScalar(node) && typeof node.value === 'string') return placeOf(node.value, file);
  }
  return null;
}

function placeOf(text: string, file: string | null): Sentence {
  const variable = /^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-.*)?\}$/s.exec(text)?.[1];
  if (variable !== undefined) return sentence('place-variable', { variable });
  if (text.startsWith('file:')) return sentence('place-file', { path: text.slice('file:'.length) });
  return file === null
    ? sentence('place-configuration')
    : sentence('place-configuration-file', { path: file });
}

/** Returns the name of a credential without its value, with advice for when the exchange refuses it. */
export function credentialAdvice(settings: CredentialSettings, place: Sentence | null): NamedCredential {
  const facts = { place: place ?? sentence('place-configuration') };
  return {
    name: sentence(`credential-${settings.kind}`, facts),
    // One advice serves both kinds of keys.
    advice: sentence(settings.kind === 'secret' ? 'advice-key' : `advice-${settings.kind}`, facts),
  };
}
