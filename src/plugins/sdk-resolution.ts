import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { IS_BUNDLE, ownModule } from './own-files.ts';

/** What a strategy may write for the SDK. */
const SDK_NAMES: ReadonlySet<string> = new Set(['#sdk', 'sarraf/sdk']);

/**
 * The running SDK itself, so that a strategy never brings a second copy of it: source in the checkout, built
 * in the package.
 */
const sdkUrl = ownModule('strategy/sdk').href;

/** The zod that the SDK itself has: part of the bundle, else a dependency beside the sources. */
const zodUrl = IS_BUNDLE ? ownModule('zod').href : null;

let isRegistered = false;

/**
 * Lets strategy files anywhere on the machine import the SDK and zod, whether or not a `node_modules` stands
 * beside them. Everything else resolves as usual. Works once in a process; further calls do nothing.
 */
export function provideSdk(): void {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({
    resolve(specifier, context, next) {
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

/** What a file begins a line with that is a module, whatever the package.json above it says. */
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
