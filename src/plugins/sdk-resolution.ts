import { registerHooks } from 'node:module';

/** What a strategy may write for the SDK. */
const SDK_NAMES: ReadonlySet<string> = new Set(['#sdk', 'sarraf/sdk']);

/** The running SDK itself, so that a strategy never brings a second copy of it: source in the checkout, built in the package. */
const sdkUrl = new URL(`../strategy/sdk.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url).href;

let isRegistered = false;

/**
 * Lets strategy files anywhere on the machine import the SDK and zod, whether or not a `node_modules` stands beside them. Everything else
 * resolves as ever. Works once a process; further calls do nothing.
 */
export function provideSdk(): void {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({
    resolve(specifier, context, next) {
      if (SDK_NAMES.has(specifier)) return { url: sdkUrl, shortCircuit: true };
      if (specifier === 'zod') return next(specifier, { ...context, parentURL: import.meta.url });
      return next(specifier, context);
    },
  });
}
