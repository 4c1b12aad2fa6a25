import { dirname, isAbsolute, resolve } from 'node:path';
import { isMap, isScalar, Scalar, type Document } from 'yaml';
import type { Located } from '../../configuration/load-yaml.ts';
import { SECRET_FIELDS } from '../../venues/live/credentials-settings.ts';
import { readFailure, type ReadSmallFile } from '../../configuration/secret-file.ts';

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

/** Puts what the files hold in place of `file:` and their paths, which count from the folder of the configuration. */
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
      if (node.value === '') problems.push({ path, key: false, message: `expected a secret in ${file}, was empty` });
      if (isOpenToAll) {
        warnings.push({ path, key: false, message: `everyone on this machine can read ${file}: chmod 600 ends that` });
      }
    } catch (error) {
      problems.push({ path, key: false, message: `${file}: ${readFailure(error)}` });
    }
  }
  return { problems, warnings };
}

/** The folder that paths of a configuration count from. */
export function folderOf(file: string | null, workingFolder: string): string {
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
