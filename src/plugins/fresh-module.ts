import { SourceMap, type SourceMapPayload } from 'node:module';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { importFrom } from './sdk-resolution.ts';

/** Exports of a module, by name. */
export type Exports = Readonly<Record<string, unknown>>;

/** Makes a module anew, with variables of its own. */
export interface ModuleFactory {
  create(): Promise<Exports>;
  /** The line of the source for a line of the stack of an error in it; null where it has none. */
  lineOf(line: number): number | null;
}

/**
 * Of a line only its end is sure to be of the statement that failed: a mapping before it may be of another.
 */
const LAST_COLUMN = 1_000_000;

/** Lines that `asFunction` puts before the code. */
const LINES_BEFORE = 1;

/**
 * Bundles a file of a user with all files that it imports by a path into one function, which makes the module
 * anew at each call. What `import()` loads stays for ever: the variables of one backtest would be there in
 * the next, and an `import()` with another address for each would never be freed. Packages are loaded once,
 * as usual. Throws what the bundler says of a file that can not be read or parsed.
 */
export async function moduleFactory(file: string): Promise<ModuleFactory> {
  const [{ rolldown }, { parseAst }] = await Promise.all([import('rolldown'), import('rolldown/parseAst')]);
  const url = pathToFileURL(file).href;
  const build = await rolldown({
    input: file,
    platform: 'node',
    treeshake: false,
    external: /^(?![./]|[a-z]:\\)/i,
    transform: {
      target: 'esnext',
      define: { 'import.meta.url': JSON.stringify(url), 'import.meta.filename': JSON.stringify(file) },
    },
  });
  try {
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
  } finally {
    await build.close();
  }
}

type Statement = ReturnType<typeof import('rolldown/parseAst').parseAst>['body'][number];
type Name = { readonly name: string } | { readonly value: string };

const nameText = (name: Name): string => ('name' in name ? name.name : name.value);

/** The places of `import` in each `import(…)` below a node. */
function dynamicImports(node: unknown): readonly number[] {
  if (typeof node !== 'object' || node === null) return [];
  const below = Object.values(node).flatMap(dynamicImports);
  return 'type' in node && node.type === 'ImportExpression' && 'start' in node
    ? [Number(node.start), ...below]
    : below;
}

/**
 * A bundle as an async function of the modules that it imports, and of what loads others later. It answers
 * the exports. The bundler writes imports and exports of other modules as statements of their own; everything
 * else stays as it is.
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
