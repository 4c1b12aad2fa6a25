import { resolve, join } from 'node:path';
import {
  isMap,
  isScalar,
  type Document,
  Scalar,
  visit,
  type Node,
  type Pair,
  isCollection,
  isSeq,
  parseDocument,
} from 'yaml';
import {
  formatProblems,
  readDocument,
  readYaml,
  writePath,
  type ConfigProblem,
  type Located,
} from '../configuration/load-yaml.ts';
import { exchangeConfig, type ExchangeConfig } from '../simulator-server/exchange-config.ts';
import {
  botConfig,
  DEFAULT_STRATEGIES,
  type ReadSettings,
  createBotConfig,
  type BotConfig,
} from './create-bot-config.ts';
import {
  credentialPlace,
  credentialFolderOf,
  isCredential,
  readSecretFiles,
  warnOfPlainSecrets,
} from './credential-texts.ts';
import {
  readFailure,
  readSmallFile,
  withoutSecrets,
  type ReadSmallFile,
} from '../configuration/secret-file.ts';
import { checkWhole } from './settings/whole-config.ts';
import { parseEnv } from 'node:util';
import type { Sentence } from '../language/sentence.ts';

/** Largest configuration file, in bytes. */
const LARGEST_FILE_BYTES = 1024 * 1024;

export interface BotConfigSources {
  /** Values for `${NAME}`; a file `.env` beside the configuration adds to them. */
  readonly environment: Environment;
  /** Reads a file; from the disk by default. */
  readonly readFile?: ReadSmallFile;
  /** Overrides of `--set`, in their order. */
  readonly overrides?: readonly Override[];
  /**
   * True if no exchange will be queried, as in a backtest or to find the path of a ledger. Then credentials
   * are not read, and a live bot's configuration is read as a paper bot's.
   */
  readonly isOffline?: boolean;
  /** Base of relative paths if there is no file, and of default paths. */
  readonly workingFolder: string;
}

export type BotConfigReading =
  | {
      readonly ok: true;
      readonly config: BotConfig;
      /** True if the file is a live bot's, even if it was read as a paper bot's. */
      readonly isLive: boolean;
      /** Lines for people about settings that are allowed and unwise. */
      readonly warnings: readonly string[];
      /**
       * Writes a line about a value, in the form of `problems`, for a problem found later, such as a param
       * that a plugin refuses.
       */
      readonly describe: (path: readonly PropertyKey[], message: string) => string;
    }
  /** Every problem at once, one line each, in the order of the file. */
  | { readonly ok: false; readonly problems: readonly string[]; readonly warnings: readonly string[] };

/**
 * Reads the configuration of a bot; null reads the defaults. Expected mistakes are returned, not thrown, and
 * contain no secret.
 */
export function readBotConfig(file: string | null, sources: BotConfigSources): BotConfigReading {
  const { readFile = readSmallFile, overrides = [], workingFolder, isOffline = false } = sources;
  const folder = credentialFolderOf(file, workingFolder);
  let text = '';
  try {
    if (file !== null) ({ text } = readFile(resolve(workingFolder, file), LARGEST_FILE_BYTES));
  } catch (error) {
    return { ok: false, problems: [`${file}:1:1: ${readFailure(error)}`], warnings: [] };
  }
  const hasReferences = [text, ...overrides.map(([, value]) => value)].some((one) => one.includes('${'));
  const { environment, warnings: ofFile } =
    file !== null && hasReferences
      ? withEnvironmentFile(sources.environment, { folder, readFile })
      : { environment: sources.environment, warnings: [] };
  let place: Sentence | null = null;
  let isLive = false;
  let values: ReadonlyMap<string, string> = new Map();
  const warned: Located[] = [];
  const refusedOverrides: string[] = [];
  const { read, locate } = readDocument(text, botConfig, (document) => {
    leaveOutEmpty(document);
    isLive = document.get('mode') === 'live';
    if (isOffline) leaveOutCredentials(document);
    // Without this, a value within the default strategies could not be set.
    if (
      !document.has('strategies') &&
      document.get('mode') !== 'live' &&
      overrides.some(([path]) => path.startsWith('strategies.'))
    ) {
      document.set('strategies', document.createNode(DEFAULT_STRATEGIES));
    }
    for (const override of overrides) {
      const wrong = applyOverride(document, override);
      if (wrong !== null) refusedOverrides.push(`--set ${shownPath(override[0])}: ${wrong}`);
    }
    warned.push(...warnOfPlainSecrets(document));
    place = credentialPlace(document, file);
    const substituted = substitute(document, { environment, isText: isCredential });
    ({ values } = substituted);
    const secrets = readSecretFiles(document, { folder, readFile });
    warned.push(...secrets.warnings);
    return [...substituted.problems, ...secrets.problems, ...checkWhole(plainOf(document))];
  });
  const line = (problem: ConfigProblem): string =>
    withoutValues(
      writeLine(
        { ...problem, message: withoutSecrets(withoutValues(problem.message, values)) },
        { file, overrides },
      ),
      values,
    );
  const exchange = read.ok ? readExchangeFile(read.value, { folder, readFile }) : null;
  const warnings = [...ofFile, ...warned.map((one) => line(locate(one)))];
  const problems = [
    ...refusedOverrides,
    ...(read.ok ? [] : asWritten(read.problems, text).map(line)),
    ...(exchange !== null && 'problems' in exchange ? exchange.problems : []),
  ];
  if (!read.ok || problems.length > 0) return { ok: false, problems, warnings };
  const embedded = exchange !== null && 'value' in exchange ? exchange.value : read.value.embedded.exchange;
  const describe = (path: readonly PropertyKey[], message: string): string =>
    line(locate({ path, key: false, message }));
  const config = createBotConfig(read.value, {
    folder,
    workingFolder,
    exchange: embedded,
    credentialPlace: place,
    describe,
  });
  return { ok: true, config, isLive: isLive || config.mode === 'live', warnings, describe };
}

/** Removes the sections whose lines are all commented out, as if they were absent. */
function leaveOutEmpty(document: Document): void {
  if (!isMap(document.contents)) return;
  const empty = document.contents.items.filter(
    ({ value }) => value === null || (isScalar(value) && value.value === null),
  );
  for (const { key } of empty) document.delete(key);
}

/** Removes credentials, so that a live bot's configuration can be used in a backtest without its keys. */
function leaveOutCredentials(document: Document): void {
  if (!isMap(document.contents)) return;
  if (isMap(document.get('exchange'))) document.deleteIn(['exchange', 'credentials']);
  // No alert is sent then, so the secrets of channels are not needed either.
  document.delete('alerts');
  if (document.get('mode') !== 'live') return;
  document.set('mode', 'paper');
  // The exchange must stay the one at which the live bot trades.
  if (isMap(document.get('paper'))) document.deleteIn(['paper', 'baseUrl']);
}

/**
 * Returns the problems to report: if the text is not valid YAML only the first, since the others mostly
 * follow from it.
 */
function asWritten(problems: readonly ConfigProblem[], text: string): readonly ConfigProblem[] {
  const [first] = problems;
  if (first === undefined || first.path !== '') return problems;
  const before = (text.split('\n')[first.line - 1] ?? '').slice(0, first.column);
  const hint = before.endsWith('${')
    ? '; between braces or brackets a reference such as "${NAME}" stands in quotes'
    : '';
  return [{ ...first, message: `${withoutSource(first.message)}${hint}` }];
}

function plainOf(document: { toJS(): unknown }): unknown {
  try {
    return document.toJS();
  } catch {
    return {};
  }
}

/** Writes a problem with its place: a line of the file, or the override that put the value there. */
function writeLine(
  problem: ConfigProblem,
  of: { readonly file: string | null; readonly overrides: readonly Override[] },
): string {
  const { path, message } = problem;
  const override = of.overrides.findLast(([set]) => {
    const written = writePath(overridePath(set));
    return path === written || path.startsWith(`${written}.`) || path.startsWith(`${written}[`);
  });
  const shown = shownPath(path);
  if (override?.[2] !== undefined) {
    const [, option = '', rest = ''] = /^strategies\[\d+\]\.(\w+)\.?(.*)$/.exec(shown) ?? [];
    if (option === 'plugin') return message;
    return `${option === 'params' ? `${override[2]}${rest}` : `--${option}`}: ${message}`;
  }
  if (override !== undefined) {
    const isSame = path === writePath(overridePath(override[0]));
    return `--set ${shownPath(override[0])}: ${isSame ? '' : `${shown}: `}${message}`;
  }
  if (of.file === null) return `${shown === '' ? '' : `${shown}: `}${message}`;
  return formatProblems(of.file, [{ ...problem, path: shown }]);
}

/** Matches a part of a path that looks like a token: names of settings have no digits. */
const LIKE_A_SECRET = /^(?=.*\d)[^[\]]{12,}$/s;
const CREDENTIAL_PATH = /^(exchange\.credentials\.)(?![A-Za-z]{1,20}(?:\.|$)).*$/s;

/**
 * Returns a path without parts that may be secrets in the wrong place: if the space after a colon is missing,
 * the secret is part of a key.
 */
function shownPath(path: string): string {
  const parts = path.replace(CREDENTIAL_PATH, '$1…').split('.');
  return parts.map((part) => (LIKE_A_SECRET.test(part) ? '…' : part)).join('.');
}

function readExchangeFile(
  settings: ReadSettings,
  of: { readonly folder: string; readonly readFile: ReadSmallFile },
): { readonly value: ExchangeConfig } | { readonly problems: readonly string[] } | null {
  const { mode, embedded } = settings;
  if (embedded.file === null || mode !== 'embedded') return null;
  const file = resolve(of.folder, embedded.file);
  try {
    const read = readYaml(of.readFile(file, LARGEST_FILE_BYTES).text, exchangeConfig);
    return read.ok ? { value: read.value } : { problems: formatProblems(file, read.problems).split('\n') };
  } catch (error) {
    return { problems: [`${file}:1:1: ${readFailure(error)}`] };
  }
}

/** Length of the shortest hidden value: a shorter one is no secret, and the message would be garbled. */
const LEAST_LENGTH = 4;

/** Replaces values of the environment in a message by their names: one may be a secret in the wrong place. */
function withoutValues(message: string, values: ReadonlyMap<string, string>): string {
  let clean = message;
  // The longest first, so that one value within another leaves nothing behind.
  const longestFirst = [...values].sort(([left], [right]) => right.length - left.length);
  for (const [value, name] of longestFirst) {
    if (value.length < LEAST_LENGTH) continue;
    const written = JSON.stringify(value).slice(1, -1);
    clean = clean.replaceAll(written, `$\{${name}}`).replaceAll(value, `$\{${name}}`);
  }
  return clean;
}

/** Returns a message about the file as a whole, without parts of the file that the YAML parser repeats. */
function withoutSource(message: string): string {
  return message.startsWith('Invalid input') ? message : message.replace(/(?:: |["'`]).*$/s, '');
}

/** Environment variables by name. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Largest file of secrets, in bytes. */
const LARGEST_BYTES = 65_536;

/**
 * Returns the environment with the variables of `.env` in the folder of a configuration added, read as Docker
 * reads such a file. A variable of the environment that is not empty overrides the file's. Warnings are lines
 * for people.
 */
function withEnvironmentFile(
  environment: Environment,
  of: { readonly folder: string; readonly readFile: ReadSmallFile },
): { readonly environment: Environment; readonly warnings: readonly string[] } {
  const path = join(of.folder, '.env');
  try {
    const { text, isOpenToAll } = of.readFile(path, LARGEST_BYTES);
    const filled = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
    return {
      environment: { ...environment, ...parseEnv(text), ...Object.fromEntries(filled) },
      warnings: isOpenToAll ? [`everyone on this machine can read ${path}: run chmod 600 ${path}`] : [],
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { environment, warnings: [] };
    return { environment, warnings: [`${path} is not used: ${readFailure(error)}`] };
  }
}

/**
 * Matches `${NAME}`, and `${NAME:-value}`, whose value is used if the variable is missing or empty. `$${`
 * stands for itself.
 */
const REFERENCE = /\$\$\{|\$\{([^}]*)\}/g;
const INNER = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** Matches values that YAML does not read as a text. */
const NO_TEXT = /^(?:true|false|null|[-+]?(?:0|[1-9]\d*)(?:\.\d+)?)$/;

interface Substitution {
  readonly problems: readonly Located[];
  /** Values that came from the environment, with the names of their variables: no message may show them. */
  readonly values: ReadonlyMap<string, string>;
}

/**
 * Substitutes values of the environment in every text of a document. A text that is one reference without
 * quotes is read as YAML would read the value, so that `port: ${PORT}` is a number; but if `isText` is true
 * for the place, it stays a text.
 */
function substitute(
  document: Document,
  of: {
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly isText: (path: readonly PropertyKey[]) => boolean;
  },
): Substitution {
  const problems: Located[] = [];
  const values = new Map<string, string>();
  visit(document, {
    Scalar(key, node, parents) {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return;
      const path = pathOf(parents, node);
      const isWhole = /^\$\{[^}]*\}$/.test(node.value) && node.type === Scalar.PLAIN;
      const text = node.value.replaceAll(REFERENCE, (whole, inner: string | undefined) => {
        if (inner === undefined) return '${';
        const value = resolveReference(inner, of.environment);
        if ('problem' in value) problems.push({ path, key: false, message: value.problem });
        else if (value.name !== null) values.set(value.text, value.name);
        return 'problem' in value ? whole : value.text;
      });
      node.value =
        isWhole && NO_TEXT.test(text) && !of.isText(path) ? JSON.parse(text.replace(/^\+/, '')) : text;
    },
  });
  return { problems, values };
}

function resolveReference(
  inner: string,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly text: string; readonly name: string | null } | { readonly problem: string } {
  const parts = INNER.exec(inner);
  if (parts === null)
    return { problem: 'expected ${NAME} or ${NAME:-value}, with a NAME of letters, digits and underscores' };
  const [, name = '', fallback] = parts;
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  if (value !== undefined && value !== '') return { text: value, name };
  if (fallback !== undefined) return { text: fallback, name: null };
  const found = value === undefined ? 'is not set' : 'is empty';
  return {
    problem: `expected the environment variable ${name}, which ${found}: set it, or write it into a file .env beside the configuration`,
  };
}

function pathOf(parents: readonly (Document | Node | Pair)[], node: unknown): readonly PropertyKey[] {
  const chain = [...parents, node];
  const path: PropertyKey[] = [];
  for (const [index, parent] of chain.entries()) {
    const next = chain[index + 1];
    if (isPairLike(parent)) path.push(isScalar(parent.key) ? String(parent.key.value) : String(parent.key));
    else if (hasItems(parent) && !isPairLike(next)) path.push(parent.items.indexOf(next));
  }
  return path;
}

function isPairLike(value: unknown): value is Pair {
  return typeof value === 'object' && value !== null && 'key' in value && 'value' in value;
}

function hasItems(value: unknown): value is { readonly items: readonly unknown[] } {
  return typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items);
}

/**
 * A value from the command line that replaces the file's: `strategies.0.params.fast` and `10`. `param`: what
 * messages put before the name of a param, if the value is made of options of a command.
 */
export type Override = readonly [path: string, value: string, param?: '--param ' | 'params.'];

/** Longest path of an override, in characters; no setting has a longer one. */
const LONGEST_PATH = 200;

/** Splits a path into its parts: names, and places in lists as numbers. */
function overridePath(path: string): readonly (string | number)[] {
  return path.split('.').map((part) => (/^\d{1,4}$/.test(part) ? Number(part) : part));
}

/** Puts a value into a document. Returns the problem if it cannot; null if it did. */
function applyOverride(document: Document, [path, text]: Override): string | null {
  const parts = overridePath(path);
  if (path.length > LONGEST_PATH || parts.some((part) => part === '')) {
    return 'expected a path such as strategies.0.params.fast';
  }
  const wrong = wrongStep(document, parts);
  if (wrong !== null) return wrong;
  const value = parseDocument(text, { prettyErrors: false });
  // The parser's own message is left out: it may repeat a part of the value.
  if (value.errors.length > 0) return 'expected a YAML value; texts with special characters stand in quotes';
  ensureParents(document, parts);
  document.setIn(parts, value.contents);
  return null;
}

/** Creates an empty object or list for each key of a path without a value, such as `risk:`. */
function ensureParents(document: Document, parts: readonly (string | number)[]): void {
  for (let length = 1; length < parts.length; length += 1) {
    const before = parts.slice(0, length);
    if (!isNullScalar(document.getIn(before, true))) continue;
    document.setIn(before, document.createNode(typeof parts[length] === 'number' ? [] : {}));
  }
}

/** Returns why a path does not fit the document; null if it does. Missing parts are created later. */
function wrongStep(document: Document, parts: readonly (string | number)[]): string | null {
  let node: unknown = document.contents;
  for (const [index, part] of parts.entries()) {
    if (node === null || node === undefined)
      return typeof part === 'number' && part > 0
        ? 'expected 0 for the first of a list that is not there yet'
        : null;
    const before = parts.slice(0, index).join('.');
    if (isSeq(node)) {
      const { length } = node.items;
      if (typeof part !== 'number' || part > length) {
        return `expected a number from 0 to ${length} after ${before}, which is a list, was "${part}"`;
      }
      node = node.items[part];
    } else if (isMap(node)) {
      node = node.get(String(part), true) ?? node.get(part, true);
    } else {
      return isCollection(node) ? null : `expected an object or a list at ${before}, was a single value`;
    }
    if (isNullScalar(node)) return null;
  }
  return null;
}

function isNullScalar(node: unknown): boolean {
  return typeof node === 'object' && node !== null && 'value' in node && node.value === null;
}
