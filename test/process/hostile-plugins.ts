/** A strategy that does what no strategy should, and the message that the bot must give. */
export interface HostilePlugin {
  readonly name: string;
  /** Code before the definition of the strategy. */
  readonly top?: string;
  /** Body of a handler of books; it has `ctx`, `calls` (from 0 on) and `place`, which places an order. */
  readonly body?: string;
  readonly onError?: 'stop' | 'pause' | 'cancel';
  /** Pattern of the message at its end; the test names it by its file alone if it can not be loaded. */
  readonly says: RegExp;
  readonly isLoaded?: false;
}

export const HOSTILE: readonly HostilePlugin[] = [
  { name: 'imp-loop', top: 'for (;;);', says: /expected the file to be loaded within/, isLoaded: false },
  { name: 'imp-exit', top: 'process.exit(7);', says: /it called process\.exit\(7\)/, isLoaded: false },
  {
    name: 'imp-throw',
    top: "throw new RangeError('at import');",
    says: /RangeError: at import/,
    isLoaded: false,
  },
  {
    name: 'imp-micro',
    top: 'const again = () => Promise.resolve().then(again); await again();',
    says: /expected the file to be loaded within|ran out of memory/,
    isLoaded: false,
  },
  { name: 'loop', body: 'for (;;);', says: /^on\.book: expected an answer within \d+ ms, was still at work/ },
  {
    name: 'microtasks',
    body: 'const again = () => Promise.resolve().then(again); void again();',
    says: /was still at work|ran out of memory/,
  },
  {
    name: 'timer-loop',
    body: 'setTimeout(() => { for (;;); });',
    says: /^on\.book: expected an answer within \d+ ms, was still at work/,
  },
  {
    name: 'timer-throw',
    body: "setTimeout(() => { throw new Error('in a timer'); });",
    says: /outside of a handler: in a timer/,
  },
  {
    name: 'timer-null',
    body: 'setTimeout(() => { throw null; });',
    says: /outside of a handler: null/,
  },
  {
    name: 'rejection',
    body: "void Promise.reject(new Error('lost'));",
    says: /a promise was rejected and not caught: lost/,
  },
  {
    name: 'no-error',
    body: "void Promise.reject('a text');",
    says: /a promise was rejected and not caught:/,
  },
  { name: 'exit', body: 'process.exit(3);', says: /it called process\.exit\(3\)/ },
  {
    name: 'exit-order',
    body: 'if (calls > 1) process.exit(0); ctx.setState({ calls: calls + 1 }); if (calls === 0) place();',
    onError: 'cancel',
    says: /it called process\.exit\(0\)/,
  },
  {
    name: 'restarts',
    body: "if (calls > 0) setTimeout(() => { throw new Error('again'); }); ctx.setState({ calls: calls + 1 });",
    onError: 'pause',
    says: /outside of a handler: again/,
  },
  {
    name: 'memory',
    body: 'const kept = []; for (;;) kept.push(new Array(100000).fill(kept.length));',
    says: /ran out of memory|was still at work/,
  },
  {
    name: 'stack',
    body: 'const deeper = () => 1 + deeper(); deeper();',
    says: /Maximum call stack size exceeded/,
  },
  {
    name: 'prototypes',
    body: `Object.prototype.toString = () => { throw new Error('poisoned'); };
      Object.prototype.toJSON = () => 'poisoned';
      Array.prototype.map = () => null;
      Array.prototype[Symbol.iterator] = function* () {};
      String.prototype.slice = () => null;
      ctx.setState({ calls: 1 }); place();`,
    says: /^on\.book: /,
  },
  {
    name: 'json',
    body: 'JSON.stringify = () => \'{"a":\';',
    says: /expected an answer as JSON|was still/,
  },
  { name: 'promise', body: 'return Promise.resolve({});', says: /was a promise/ },
  {
    name: 'intents',
    body: 'for (let n = 0; n < 1e6; n += 1) place();',
    says: /expected at most 100 at once/,
  },
  {
    name: 'cyclic',
    body: 'const round = {}; round.self = round; ctx.setState({ odd: round });',
    says: /expected a state at most 50 levels deep/,
  },
  {
    name: 'big-state',
    body: "ctx.setState({ odd: 'x'.repeat(5000000) });",
    says: /expected a state of at most 1000000 characters/,
  },
  { name: 'turn-book', body: 'ctx.data.book.asks.reverse();', says: /read only|not extensible/ },
  { name: 'nothing', body: 'throw null;', says: /^on\.book: null/ },
  { name: 'odd-throw', body: 'throw new Proxy({}, { get() { throw 1; } });', says: /can not be said/ },
  {
    name: 'listeners',
    body: 'process.removeAllListeners(); process.exit(0);',
    says: /was still at work|its thread ended/,
  },
  {
    name: 'memory-map',
    top: "import { workerData } from 'node:worker_threads';",
    body: 'new Uint8Array(workerData.memory).fill(255);',
    says: /^on\.book: /,
  },
  {
    name: 'lying-line',
    top: "import { workerData } from 'node:worker_threads';",
    body: `const text = '{"state":"5;","intents":[{"kind":"place","market":"BTCIRT","side":"buy","amount":"-1"}],"fault":null,"log":7}';
      new TextEncoder().encodeInto(text, new Uint8Array(workerData.memory, 16));
      const words = new Int32Array(workerData.memory, 0, 4);
      words[1] = text.length; Atomics.store(words, 0, 1); Atomics.notify(words, 0);
      for (;;);`,
    says: /^on\.book: intents\.0\.amount: expected a positive number/,
  },
  {
    name: 'flood',
    top: "import { parentPort } from 'node:worker_threads';",
    body: "for (let n = 0; n < 20000; n += 1) { parentPort.postMessage(n); console.log('flood', n); } throw new Error('done flooding');",
    says: /done flooding|was still at work/,
  },
  { name: 'kill', body: "process.kill(process.pid, 'SIGKILL');", says: /to send no signals/ },
  {
    name: 'secrets',
    body: "throw new Error('saw ' + JSON.stringify([process.env, process.argv.slice(2), process.execArgv]));",
    says: /saw \[\{\},\[\],\[\]\]/,
  },
];

export function sourceOf({ name, top = '', body = '' }: HostilePlugin): string {
  return `import { z } from 'zod';
import { defineStrategy } from '#sdk';
${top}
export default defineStrategy({
  name: '${name}',
  params: z.strictObject({}),
  state: z.object({ calls: z.int().default(0), odd: z.any().default(null) }),
  data: ({ market }) => ({ book: market.book() }),
  on: {
    book(ctx, seen) {
      const { calls } = ctx.state;
      const place = () => ctx.buy({ amount: 0.002, price: seen.bestBid.price });
      ${body}
    },
  },
});
`;
}
