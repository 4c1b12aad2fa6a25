/** A strategy that does what no strategy should, and what is to be said of it. */
export interface HostilePlugin {
  readonly name: string;
  /** Before the strategy is defined. */
  readonly top?: string;
  /** The body of `onBook`, with `context`, `calls` (from 0 on) and `place` (an intent) at hand. */
  readonly onBook?: string;
  readonly onError?: 'stop' | 'pause' | 'cancel';
  /** What the end of it says; null where it can not be loaded, and is named by its file alone. */
  readonly says: RegExp;
  readonly isLoaded?: false;
}

export const HOSTILE: readonly HostilePlugin[] = [
  { name: 'imp-loop', top: 'for (;;);', says: /expected the file to be loaded within/, isLoaded: false },
  { name: 'imp-exit', top: 'process.exit(7);', says: /it called process\.exit\(7\)/, isLoaded: false },
  { name: 'imp-throw', top: "throw new RangeError('at import');", says: /RangeError: at import/, isLoaded: false },
  {
    name: 'imp-micro',
    top: 'const again = () => Promise.resolve().then(again); await again();',
    says: /expected the file to be loaded within|ran out of memory/,
    isLoaded: false,
  },
  { name: 'loop', onBook: 'for (;;);', says: /^onBook: expected an answer within \d+ ms, was still at work/ },
  {
    name: 'microtasks',
    onBook: 'const again = () => Promise.resolve().then(again); void again();',
    says: /was still at work|ran out of memory/,
  },
  {
    name: 'timer-loop',
    onBook: 'setTimeout(() => { for (;;); });',
    says: /^onBook: expected an answer within \d+ ms, was still at work/,
  },
  {
    name: 'timer-throw',
    onBook: "setTimeout(() => { throw new Error('in a timer'); });",
    says: /outside of a handler: in a timer/,
  },
  {
    name: 'timer-null',
    onBook: 'setTimeout(() => { throw null; });',
    says: /outside of a handler: null/,
  },
  {
    name: 'rejection',
    onBook: "void Promise.reject(new Error('lost'));",
    says: /a promise was rejected and nobody caught it: lost/,
  },
  {
    name: 'no-error',
    onBook: "void Promise.reject('a text');",
    says: /a promise was rejected and nobody caught it:/,
  },
  { name: 'exit', onBook: 'process.exit(3);', says: /it called process\.exit\(3\)/ },
  {
    name: 'exit-order',
    onBook:
      'if (calls > 1) process.exit(0); return { state: { calls: calls + 1 }, intents: calls === 0 ? [place] : [] };',
    onError: 'cancel',
    says: /it called process\.exit\(0\)/,
  },
  {
    name: 'restarts',
    onBook: "if (calls > 0) setTimeout(() => { throw new Error('again'); }); return { state: { calls: calls + 1 } };",
    onError: 'pause',
    says: /outside of a handler: again/,
  },
  {
    name: 'memory',
    onBook: 'const kept = []; for (;;) kept.push(new Array(100000).fill(kept.length));',
    says: /ran out of memory|was still at work/,
  },
  { name: 'stack', onBook: 'const deeper = () => 1 + deeper(); deeper();', says: /Maximum call stack size exceeded/ },
  {
    name: 'prototypes',
    onBook: `Object.prototype.toString = () => { throw new Error('poisoned'); };
      Object.prototype.toJSON = () => 'poisoned';
      Array.prototype.map = () => null;
      Array.prototype[Symbol.iterator] = function* () {};
      String.prototype.slice = () => null;
      return { state: { calls: 1 }, intents: [place] };`,
    says: /^onBook: /,
  },
  {
    name: 'json',
    onBook: 'JSON.stringify = () => \'{"a":\'; return {};',
    says: /expected an answer as JSON|was still/,
  },
  { name: 'promise', onBook: 'return Promise.resolve({});', says: /was a promise/ },
  { name: 'intents', onBook: 'return { intents: new Array(1e6).fill(place) };', says: /expected at most 100 at once/ },
  {
    name: 'cyclic',
    onBook: 'const round = {}; round.self = round; return { state: round };',
    says: /expected a state at most 50 levels deep/,
  },
  {
    name: 'big-state',
    onBook: "return { state: { text: 'x'.repeat(5000000) } };",
    says: /expected a state of at most 1000000 characters/,
  },
  { name: 'turn-book', onBook: 'context.book.asks.reverse();', says: /read only|not extensible/ },
  { name: 'nothing', onBook: 'throw null;', says: /^onBook: null/ },
  { name: 'odd-throw', onBook: 'throw new Proxy({}, { get() { throw 1; } });', says: /can not be said/ },
  {
    name: 'listeners',
    onBook: 'process.removeAllListeners(); process.exit(0);',
    says: /was still at work|its thread ended/,
  },
  {
    name: 'memory-map',
    top: "import { workerData } from 'node:worker_threads';",
    onBook: 'new Uint8Array(workerData.memory).fill(255); return {};',
    says: /^onBook: /,
  },
  {
    name: 'lying-line',
    top: "import { workerData } from 'node:worker_threads';",
    onBook: `const text = '{"state":"5;","intents":[{"kind":"place","market":"BTCIRT","side":"buy","amount":"-1"}],"fault":null,"log":7}';
      new TextEncoder().encodeInto(text, new Uint8Array(workerData.memory, 16));
      const words = new Int32Array(workerData.memory, 0, 4);
      words[1] = text.length; Atomics.store(words, 0, 1); Atomics.notify(words, 0);
      for (;;);`,
    says: /^onBook: intents\.0\.amount: expected a positive decimal/,
  },
  {
    name: 'flood',
    top: "import { parentPort } from 'node:worker_threads';",
    onBook:
      "for (let n = 0; n < 20000; n += 1) { parentPort.postMessage(n); console.log('flood', n); } throw new Error('done flooding');",
    says: /done flooding|was still at work/,
  },
  { name: 'kill', onBook: "process.kill(process.pid, 'SIGKILL');", says: /to send no signals/ },
  {
    name: 'secrets',
    onBook: "throw new Error('saw ' + JSON.stringify([process.env, process.argv.slice(2), process.execArgv]));",
    says: /saw \[\{\},\[\],\[\]\]/,
  },
];

export function sourceOf({ name, top = '', onBook = '' }: HostilePlugin): string {
  return `import { z } from 'zod';
import { book, buy, defineStrategy } from '#sdk';
${top}
export default defineStrategy({
  name: '${name}',
  params: z.strictObject({}),
  subscribe: ({ market }) => [book(market)],
  init: () => ({ calls: 0 }),
  onBook(context) {
    const { state, book: seen, market } = context;
    const { calls } = state;
    const place = buy(market, { amount: '0.002', price: seen.bids[0][0] });
    ${onBook}
  },
});
`;
}
