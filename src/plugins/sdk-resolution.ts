import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { IS_BUNDLE, ownModule } from './own-files.ts';

/** Import names of the SDK that a strategy may use. */
const SDK_NAMES: ReadonlySet<string> = new Set(['#sdk', 'sarraf/sdk']);

/**
 * The running SDK itself, so that a strategy never brings a second copy of it: source in the checkout, built
 * in the package.
 */
const sdkUrl = ownModule('strategy/sdk').href;

/** The zod that the SDK itself has: part of the bundle, else a dependency beside the sources. */
const zodUrl = IS_BUNDLE ? ownModule('zod').href : null;

let isRegistered = false;

/** Begins a specifier that says from where it is imported: `importFrom` makes it. */
const FROM = 'sarraf-import-from:';

/** Imports as the file at `parentUrl` would: packages are looked for beside that file. */
export async function importFrom(specifier: string, parentUrl: string): Promise<unknown> {
  provideSdk();
  return import(`${FROM}${JSON.stringify([specifier, parentUrl])}`);
}

/**
 * Lets strategy files anywhere on the machine import the SDK and zod, whether or not a `node_modules` stands
 * beside them. Everything else resolves as usual. Works once in a process; further calls do nothing.
 */
export function provideSdk(): void {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({
    resolve(written, from, next) {
      const [specifier, parentURL] = written.startsWith(FROM)
        ? (JSON.parse(written.slice(FROM.length)) as readonly [string, string])
        : [written, from.parentURL];
      const context = { ...from, parentURL };
      if (SDK_NAMES.has(specifier)) return { url: sdkUrl, shortCircuit: true };
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

/** Start of a line that makes a file a module, even if the package.json above it disagrees. */
const MODULE_SYNTAX = /^\s*(?:import\b(?!\s*\()|export\b)/m;

/**
 * The format of a file that is written as a module inside a project of `"type": "commonjs"`, as `npm init`
 * makes them: Node would take it for CommonJS and refuse its first import. Undefined where Node is right.
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
