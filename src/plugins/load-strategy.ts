import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { messageOf, SarrafError, invalidStrategy, nearestWord } from '../domain/errors.ts';
import { whatIsWrong, type StrategyDefinition } from '../strategy/definition.ts';
import { IS_BUNDLE, ownModule } from './own-files.ts';
import { inspect } from 'node:util';
import { registerHooks, SourceMap, type SourceMapPayload } from 'node:module';
import { Script } from 'node:vm';

/** A strategy of a file. */
export interface LoadedStrategy {
  readonly file: string;
  readonly definition: StrategyDefinition;
  /** Returns the line of the file that an error names first, from 1; null if it names none. */
  readonly lineOf: (error: unknown) => number | null;
}

/**
 * Returns an error of a strategy's file with its place as editors understand it: `file:line: message`. Its
 * details have the parts. One that has its place already is returned as it is.
 */
export function placedError(
  error: unknown,
  { file, lineOf }: Omit<LoadedStrategy, 'definition'>,
): SarrafError {
  const details = error instanceof SarrafError ? error.details : {};
  if (error instanceof SarrafError && 'text' in details) return error;
  const text = unknownNameText(error) ?? messageOf(error);
  const { line = lineOf(error) } = details as { readonly line?: number | null };
  return invalidStrategy(`${file}${line === null ? '' : `:${line}`}: ${text}`, {
    cause: error,
    details: { ...details, line, text },
  });
}

/**
 * Files that were loaded into this thread, each with a factory for new copies from the second load on: a
 * module's variables must not survive from one backtest to the next.
 */
const LOADED_FILES = new Map<string, ModuleFactory | null>();

/**
 * Returns the place of an error as `file:line`, in a file that was loaded into this process; null if it is in
 * none of them. A thrown value that is no error has no place: if only one file was loaded, it is returned.
 */
export function strategyPlaceOf(error: unknown): string | null {
  for (const file of LOADED_FILES.keys()) {
    const line = lineIn(error, file);
    if (line !== null) return `${file}:${line}`;
  }
  const [only] = LOADED_FILES.keys();
  return error instanceof Error || LOADED_FILES.size !== 1 ? null : (only ?? null);
}

/** Loads the strategy of a file, without a build. Throws `INVALID_STRATEGY` with the place of a mistake. */
export async function loadStrategy(file: string): Promise<LoadedStrategy> {
  provideSdk();
  exportsOfSdk = Object.keys((await import(sdkUrl)) as Exports);
  let module: Exports;
  let lineOf = (error: unknown): number | null => lineIn(error, file);
  try {
    if (LOADED_FILES.has(file)) {
      const factory = LOADED_FILES.get(file) ?? (await moduleFactory(file));
      LOADED_FILES.set(file, factory);
      lineOf = (error) => lineIn(error, file, factory.lineOf);
      module = await factory.create();
    } else {
      LOADED_FILES.set(file, null);
      module = (await import(pathToFileURL(file).href)) as Exports;
    }
  } catch (cause) {
    if (cause instanceof SarrafError) throw placedError(cause, { file, lineOf });
    const [first = ''] = messageOf(cause).split('\n', 1);
    const message = unknownNameText(cause) ?? (cause instanceof Error ? `${cause.name}: ${first}` : first);
    throw placedError(invalidStrategy(message, { cause }), { file, lineOf });
  }
  const wrong = whatIsWrong(module['default']);
  if (wrong !== null) throw placedError(invalidStrategy(wrong), { file, lineOf });
  return { file, definition: module['default'] as StrategyDefinition, lineOf };
}

/**
 * Returns the line of `file`, from 1, that an error's stack names first, else that of the part of a strategy
 * that its message begins with; null if it names none. `lineOf`: see `ModuleFactory`.
 */
export function lineIn(
  error: unknown,
  file: string,
  lineOf: ModuleFactory['lineOf'] = (line) => line,
): number | null {
  // A syntax error shows its place only when it is printed, not in its stack.
  const text = error instanceof Error ? `${error.stack ?? ''}\n${inspect(error)}` : '';
  const places = [file, pathToFileURL(file).href]
    .map((place) => text.indexOf(`${place}:`))
    .filter((at) => at !== -1);
  const line = /:(\d+)/.exec(text.slice(Math.min(...places)).replace(/^file:/, ''))?.[1];
  if (places.length > 0) return line === undefined ? null : lineOf(Number(line));
  return error instanceof SarrafError ? lineOfPart(error.message, file) : null;
}

/**
 * Returns the line where a file's first strategy has the part that a message is about, such as
 * `bracket.stopLoss: …`, from 1; null if it has none. It is found by its name alone.
 */
function lineOfPart(message: string, file: string): number | null {
  const [path] = /^[a-z]\w*(?:\.\w+)*(?=: )/i.exec(message) ?? [];
  if (path === undefined || !existsSync(file)) return null;
  const source = readFileSync(file, 'utf8');
  let found = -1;
  let from = Math.max(0, source.search(/\bdefine(?:Rules|Strategy)\s*[<(]/));
  for (const part of path.split('.')) {
    const at = source.slice(from).search(new RegExp(`\\b${part}\\s*[:(,]`));
    if (at === -1) break;
    found = from + at;
    from = found + part.length;
  }
  return found === -1 ? null : source.slice(0, found).split('\n').length;
}

/** Exports of a module, by name. */
type Exports = Readonly<Record<string, unknown>>;

/** Creates new copies of a module, each with its own variables. */
interface ModuleFactory {
  create(): Promise<Exports>;
  /** Returns the line of the source for a line in an error's stack; null if it has none. */
  readonly lineOf: (line: number) => number | null;
}

/** Column after the end of any line: the last mapping of a line is that of the statement that failed. */
const LAST_COLUMN = 1_000_000;

/** Number of lines that `asFunction` adds before the code. */
const LINES_BEFORE = 1;

/**
 * Bundles a user's file, with all files that it imports by a path, into one function that makes a new copy of
 * the module at each call. With `import()`, variables of one backtest would still be there in the next, or
 * each backtest would leave a copy that is never freed. Packages are loaded once, as usual. Throws the
 * bundler's error for a file that can not be read or parsed.
 */
export async function moduleFactory(file: string): Promise<ModuleFactory> {
  const [{ rolldown }, { parseAst }] = await Promise.all([import('rolldown'), import('rolldown/parseAst')]);
  const url = pathToFileURL(file).href;
  await using build = await rolldown({
    input: file,
    platform: 'node',
    treeshake: false,
    external: /^(?![./]|[a-z]:\\)/i,
    transform: {
      target: 'esnext',
      define: { 'import.meta.url': JSON.stringify(url), 'import.meta.filename': JSON.stringify(file) },
    },
  });
  const { output } = await build.generate({ format: 'esm', sourcemap: true, codeSplitting: false });
  const [{ code, map }] = output;
  const { text, imported } = asFunction(code, parseAst(code));
  const script = new Script(text, { filename: file });
  const load = async (name: string): Promise<unknown> => importFrom(name, url);
  const modules = await Promise.all(imported.map(load));
  const make = script.runInThisContext() as (
    modules: readonly unknown[],
    load: (name: string) => Promise<unknown>,
  ) => Promise<Exports>;
  const places = map === null ? null : new SourceMap(map as unknown as SourceMapPayload);
  return {
    create: async () => make(modules, load),
    lineOf(line) {
      const entry = places?.findEntry(line - 1 - LINES_BEFORE, LAST_COLUMN);
      return entry !== undefined && 'originalLine' in entry && entry.originalSource.endsWith(basename(file))
        ? entry.originalLine + 1
        : null;
    },
  };
}

type Statement = ReturnType<typeof import('rolldown/parseAst').parseAst>['body'][number];
type Name = { readonly name: string } | { readonly value: string };

const nameText = (name: Name): string => ('name' in name ? name.name : name.value);

/** Returns the positions of `import` in each `import(…)` below a node. */
function dynamicImports(node: unknown): readonly number[] {
  if (typeof node !== 'object' || node === null) return [];
  const below = Object.values(node).flatMap(dynamicImports);
  return 'type' in node && node.type === 'ImportExpression' && 'start' in node
    ? [Number(node.start), ...below]
    : below;
}

/**
 * Returns a bundle as the text of an async function that returns its exports. Its arguments are the imported
 * modules and a function for later imports. The bundler writes imports and re-exports as separate statements,
 * so all other code stays as it is.
 */
function asFunction(
  code: string,
  { body }: { readonly body: readonly Statement[] },
): { readonly text: string; readonly imported: readonly string[] } {
  const imported: string[] = [];
  const moduleOf = (source: { readonly value: string }): string =>
    `modules[${imported.push(source.value) - 1}]`;
  const exports: string[] = [];
  const edits: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  for (const statement of body) {
    const { start, end } = statement;
    if (statement.type === 'ImportDeclaration') {
      const module = moduleOf(statement.source);
      const parts = statement.specifiers.map((specifier) => {
        const { name } = specifier.local;
        if (specifier.type === 'ImportNamespaceSpecifier') return `${name} = ${module}`;
        const property =
          specifier.type === 'ImportDefaultSpecifier' ? 'default' : nameText(specifier.imported);
        return `{ ${JSON.stringify(property)}: ${name} } = ${module}`;
      });
      edits.push({ start, end, text: parts.length === 0 ? '' : `const ${parts.join(', ')};` });
    } else if (statement.type === 'ExportAllDeclaration') {
      exports.push(`...${moduleOf(statement.source)}`);
      edits.push({ start, end, text: '' });
    } else if (statement.type === 'ExportNamedDeclaration') {
      const module = statement.source === null ? null : moduleOf(statement.source);
      for (const { local, exported: name } of statement.specifiers) {
        const value = module === null ? nameText(local) : `${module}[${JSON.stringify(nameText(local))}]`;
        exports.push(`get ${JSON.stringify(nameText(name))}() { return ${value}; }`);
      }
      edits.push({ start, end, text: '' });
    } else {
      for (const at of dynamicImports(statement))
        edits.push({ start: at, end: at + 'import'.length, text: 'load' });
    }
  }
  let text = '';
  let from = 0;
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    text += code.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  text += code.slice(from);
  return {
    text: `(async (modules, load) => { 'use strict';\n${text}\nreturn { ${exports.join(', ')} };\n})`,
    imported,
  };
}

/** Import names of the SDK that a strategy may use. */
const SDK_NAMES: ReadonlySet<string> = new Set(['#sdk', 'sarraf/sdk']);

/** Import names of the entry for venues. */
const VENUE_NAMES: ReadonlySet<string> = new Set(['#venue', 'sarraf/venue']);

/** URL of the running SDK, so that a strategy loads no second copy: in a checkout its source. */
const sdkUrl = ownModule('strategy/sdk').href;

/** Names that the SDK exports; empty until the first strategy is loaded. */
let exportsOfSdk: readonly string[] = [];

/** Describes an error about a name that a strategy does not have; null for another error. */
function unknownNameText(error: unknown): string | null {
  const message = messageOf(error);
  const [, module = '', missing] =
    /^The requested module '(.+)' does not provide an export named '(\w+)'/.exec(message) ?? [];
  const isOfSdk = SDK_NAMES.has(module);
  const [, undeclared] =
    error instanceof ReferenceError ? (/^(\w+) is not defined$/.exec(message) ?? []) : [];
  const name = isOfSdk ? missing : undeclared;
  if (name === undefined) return null;
  const nearest = nearestWord(name, exportsOfSdk);
  const expected = isOfSdk ? 'a name that sarraf/sdk exports' : 'a name that the file declares or imports';
  const advice =
    nearest === name
      ? ': import it from sarraf/sdk'
      : nearest === null
        ? ''
        : `: did you mean ${nearest}${isOfSdk ? '' : ' of sarraf/sdk'}?`;
  return `expected ${expected}, found ${name}${advice}`;
}

/** URL of the bundled zod, which the SDK uses; null in the checkout, where zod is a dependency. */
const zodUrl = IS_BUNDLE ? ownModule('zod').href : null;

let isRegistered = false;

/** Prefix of a specifier that names the importing file; made by `importFrom`. */
const FROM = 'sarraf-import-from:';

/** Imports as the file at `parentUrl` would: packages are searched for from that file's folder on. */
export async function importFrom(specifier: string, parentUrl: string): Promise<unknown> {
  provideSdk();
  return import(`${FROM}${JSON.stringify([specifier, parentUrl])}`);
}

/**
 * Lets strategy files anywhere on the machine import the SDK and zod, even without a `node_modules` near
 * them. All other imports resolve as usual. Only the first call in a process has an effect.
 */
function provideSdk(): void {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({
    resolve(written, from, next) {
      const [specifier, parentURL] = written.startsWith(FROM)
        ? (JSON.parse(written.slice(FROM.length)) as readonly [string, string])
        : [written, from.parentURL];
      const context = { ...from, parentURL };
      if (SDK_NAMES.has(specifier)) return { url: sdkUrl, shortCircuit: true };
      if (VENUE_NAMES.has(specifier)) return { url: ownModule('venue').href, shortCircuit: true };
      if (specifier === 'zod')
        return zodUrl === null
          ? next(specifier, { ...context, parentURL: import.meta.url })
          : { url: zodUrl, shortCircuit: true };
      return next(specifier, context);
    },
    load(url, context, next) {
      const format = asModule(url, context.format);
      return next(url, format === undefined ? context : { ...context, format });
    },
  });
}

/** Matches the start of a line that makes a file an ES module, whatever its package.json says. */
const MODULE_SYNTAX = /^\s*(?:import\b(?!\s*\()|export\b)/m;

/**
 * Returns the format for an ES module in a project of `"type": "commonjs"`, as `npm init` makes them: Node
 * would read it as CommonJS and refuse its first import. Undefined if Node's own choice is right.
 */
function asModule(
  url: string,
  format: string | null | undefined,
): 'module' | 'module-typescript' | undefined {
  if (format !== 'commonjs' && format !== 'commonjs-typescript') return undefined;
  if (!url.startsWith('file:') || url.includes('/node_modules/') || !/\.[jt]s$/.test(url)) return undefined;
  if (!MODULE_SYNTAX.test(readFileSync(fileURLToPath(url), 'utf8'))) return undefined;
  return url.endsWith('.ts') ? 'module-typescript' : 'module';
}
