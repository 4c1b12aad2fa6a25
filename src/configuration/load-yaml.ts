import { readFileSync } from 'node:fs';
import { isMap, isNode, isPair, isScalar, LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';
import { nearestWord } from '../domain/errors.ts';

/** One mistake in a file. Lines and columns count from 1; the path is empty for the file as a whole. */
export interface ConfigProblem {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

type LoadedConfig<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Largest size of a configuration file in bytes. */
const LARGEST_FILE_BYTES = 4 * 1024 * 1024;

/** Reads and checks a YAML file. Returns all of its problems at once, in the order of their lines. */
export function loadYaml<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): LoadedConfig<z.output<Schema>> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = code === 'ENOENT' ? 'expected a file, found none' : `the file can not be read (${code})`;
    return { ok: false, problems: [{ path: '', line: 1, column: 1, message }] };
  }
  if (text.length > LARGEST_FILE_BYTES) {
    const message = `expected at most ${LARGEST_FILE_BYTES} bytes, was ${text.length}`;
    return { ok: false, problems: [{ path: '', line: 1, column: 1, message }] };
  }
  return readYaml(text, schema);
}

/** Reads and checks a YAML text as `loadYaml` does a file. */
export function readYaml<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
): LoadedConfig<z.output<Schema>> {
  return readDocument(text, schema).read;
}

/** A document that was read, with a function that finds the line of a path. */
interface ReadDocument<T> {
  readonly read: LoadedConfig<T>;
  /** Adds line and column to a message about a path. */
  readonly locate: (located: Located) => ConfigProblem;
}

/**
 * Checks a document, and may change it, before the schema is applied. Its problems are merged with those of
 * the schema, and come first at the same place.
 */
type Preparation = (document: Document) => readonly Located[];

/** Reads a text as `readYaml` does, after a preparation. */
export function readDocument<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
  prepare: Preparation = () => [],
): ReadDocument<z.output<Schema>> {
  const lines = new LineCounter();
  const at = (offset: number): { readonly line: number; readonly column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  let document: Document;
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  } catch {
    return unreadable('expected YAML, found brackets too deep to be read');
  }
  const locate = ({ path, key, message }: Located): ConfigProblem => {
    const { line, column } = at(offsetOf(document, path, key));
    return { path: writePath(path), line, column, message };
  };
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message, pos }) => {
      const { line, column } = at(pos[0]);
      return { path: '', line, column, message };
    });
    return { read: { ok: false, problems }, locate };
  }
  const prepared = prepare(document);
  let plain: unknown;
  try {
    plain = document.toJS() ?? {};
  } catch {
    return unreadable('expected at most 100 uses of an anchor, were more');
  }
  const read = schema.safeParse(plain);
  const found = read.success
    ? []
    : read.error.issues.flatMap(plainIssues).flatMap((issue) => problemsOf(issue, schema));
  const isReported = ({ path }: Located): boolean => prepared.some((before) => isWithin(path, before.path));
  const problems = [...prepared, ...found.filter((one) => !isReported(one))].map(locate);
  if (read.success && problems.length === 0) return { read: { ok: true, value: read.data }, locate };
  problems.sort((left, right) => left.line - right.line || left.column - right.column);
  return { read: { ok: false, problems }, locate };
}

/** Returns a problem at line 1, for a text that could not be read. */
function locateAtStart({ path, message }: Located): ConfigProblem {
  return { path: writePath(path), line: 1, column: 1, message };
}

function unreadable(message: string): ReadDocument<never> {
  return {
    read: { ok: false, problems: [{ path: '', line: 1, column: 1, message }] },
    locate: locateAtStart,
  };
}

function isWithin(path: readonly PropertyKey[], outer: readonly PropertyKey[]): boolean {
  return outer.length > 0 && outer.every((part, index) => String(part) === String(path[index]));
}

/** A message about a place that is named by its path. */
export interface Located {
  readonly path: readonly PropertyKey[];
  /** True if the location is that of the key, not of its value. */
  readonly key: boolean;
  readonly message: string;
}

/** Returns the message for a key that is none of those known. */
export function unknownKeyText(name: string, known: readonly string[]): string {
  const nearest = nearestWord(name, known);
  return `unknown key, ${nearest === null ? `expected one of ${known.join(', ')}` : `did you mean ${nearest}?`}`;
}

function problemsOf(issue: z.core.$ZodIssue, schema: z.core.$ZodType): readonly Located[] {
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, issue.path);
    return issue.keys.map((name) => ({
      path: [...issue.path, name],
      key: true,
      message: unknownKeyText(name, known),
    }));
  }
  if (issue.code === 'invalid_key') {
    const [inner] = issue.issues;
    return [{ path: issue.path, key: true, message: inner?.message ?? issue.message }];
  }
  return [{ path: issue.path, key: false, message: issue.message }];
}

/** Zod's message for a value that fits none of several forms, if the schema has no message of its own. */
const UNSPECIFIC = 'Invalid input';

/**
 * Returns the issues behind a general one. For a value with several possible forms: the issues of the form
 * that it has; if it has none of them, those of each form.
 */
export function plainIssues(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.message !== UNSPECIFIC) return [issue];
  const forms = issue.errors.map((inner) => inner.flatMap(plainIssues));
  const [own, ...others] = forms.filter((inner) => !inner.some(isOfAnotherForm));
  if (own !== undefined && others.length === 0)
    return own.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
  const expected = [...new Set(forms.flatMap((inner) => inner.map(({ message }) => message)))];
  return [{ ...issue, message: expected.join('; or ') }];
}

function isOfAnotherForm({ code, path }: z.core.$ZodIssue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_union');
}

/** Returns the problems of a value, one line each; `place` writes a path. */
export function problemLines(
  { issues }: z.ZodError,
  place: (path: readonly PropertyKey[]) => string = writePath,
): readonly string[] {
  return issues.flatMap(plainIssues).map(({ path, message }) => {
    const where = place(path);
    return where === '' ? message : `${where}: ${message}`;
  });
}

/** Writes a path for messages: `strategies[0].params.fast`. */
export function writePath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((written, part) => {
    if (typeof part === 'number') return `${written}[${part}]`;
    return written === '' ? String(part) : `${written}.${String(part)}`;
  }, '');
}

/** Returns the offset of a value or, if it is missing, of its nearest parent. */
function offsetOf(document: Document, path: readonly PropertyKey[], wantsKey: boolean): number {
  for (let length = path.length; length > 0; length -= 1) {
    const part = path[length - 1];
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => isPairKey(key, part));
      if (pair === undefined) continue;
      const node = wantsKey && length === path.length ? pair.key : (pair.value ?? pair.key);
      return startOf(node) ?? startOf(pair.key) ?? 0;
    }
    const start = startOf(document.getIn(path.slice(0, length), true));
    if (start !== null) return start;
  }
  return 0;
}

function isPairKey(key: unknown, part: PropertyKey | undefined): boolean {
  return isScalar(key) && String(key.value) === String(part);
}

function startOf(node: unknown): number | null {
  if (isPair(node)) return startOf(node.key);
  return isNode(node) ? (node.range?.[0] ?? null) : null;
}

/** Formats problems for editors, one line each: `file:line:column: path: message`. */
export function formatProblems(file: string, problems: readonly ConfigProblem[]): string {
  return problems
    .map(
      ({ path, line, column, message }) =>
        `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`,
    )
    .join('\n');
}

/** Parts of a schema's definition that are read here. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly keyType?: z.core.$ZodType;
  readonly entries?: Readonly<Record<string, string | number>>;
}

const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def;

/** Returns the schemas for the value at the end of `path`; several if the schema is a union. */
function schemasAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly z.core.$ZodType[] {
  const definition = definitionOf(schema);
  if (definition.innerType !== undefined) return schemasAt(definition.innerType, path);
  if (definition.in !== undefined) return schemasAt(definition.in, path);
  if (definition.options !== undefined)
    return definition.options.flatMap((option) => schemasAt(option, path));
  const [first, ...rest] = path;
  if (first === undefined) return [schema];
  const next = definition.shape?.[String(first)] ?? definition.element ?? definition.valueType;
  return next === undefined ? [] : schemasAt(next, rest);
}

/** Returns the allowed keys of an object at the end of `path`, for suggestions. */
function knownKeys(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  return schemasAt(schema, path).flatMap((found) => {
    const { shape, keyType } = definitionOf(found);
    // The keys of a record may be an enumeration.
    const entries = keyType === undefined ? undefined : definitionOf(keyType).entries;
    return shape === undefined ? Object.values(entries ?? {}).map(String) : Object.keys(shape);
  });
}
