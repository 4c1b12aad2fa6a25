import { readFileSync } from 'node:fs';
import { z } from 'zod';

/**
 * Sums up a profile of Node by cause, as a table of Markdown: `node bench/profile-shares.ts FILE.cpuprofile`.
 * The profile must be one of the sources, whose folders name the causes.
 */
const CAUSES: readonly (readonly [string, RegExp])[] = [
  ['reading bars', /src\/(recording|backtest\/setup)\/|@duckdb/],
  ['result, tables and report', /src\/backtest\/(result|report|metrics)\/|decimal\.js/],
  ['the loop over bars', /src\/backtest\//],
  ['the engine', /src\/engine\//],
  ['orders and risk checks', /src\/execution\//],
  ['filling orders', /src\/(venues|simulator)\//],
  ['positions and balances', /src\/portfolio\//],
  ['the strategy and its averages', /src\/strategy\/|\/strategies\/|trading-signals/],
  ['text and units of money, records', /src\/domain\//],
  ['files, and the loading of modules', /^node:/],
];

const profileSchema = z.object({
  nodes: z.array(
    z.object({ id: z.int(), callFrame: z.object({ functionName: z.string(), url: z.string() }) }),
  ),
  samples: z.array(z.int()),
  timeDeltas: z.array(z.number()),
});

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('expected FILE.cpuprofile');
const { nodes, samples, timeDeltas } = profileSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
const causes = new Map(nodes.map(({ id, callFrame }) => [id, causeOf(callFrame)]));
const spent = new Map<string, number>();
for (const [index, id] of samples.entries()) {
  const cause = causes.get(id);
  if (cause === undefined) throw new Error(`expected a node ${id} in ${path}, was none`);
  if (cause !== null) spent.set(cause, (spent.get(cause) ?? 0) + (timeDeltas[index] ?? 0));
}
const whole = [...spent.values()].reduce((sum, time) => sum + time, 0);
console.log('| share | cause |\n| --- | --- |');
for (const [cause, time] of [...spent].toSorted(([, left], [, right]) => right - left))
  console.log(`| ${((100 * time) / whole).toFixed(1)} % | ${cause} |`);

/** The cause of a frame; null where the processor was idle. */
function causeOf({
  functionName,
  url,
}: {
  readonly functionName: string;
  readonly url: string;
}): string | null {
  if (functionName === '(idle)') return null;
  if (functionName === '(garbage collector)') return 'garbage collection';
  const [cause] = CAUSES.find(([, pattern]) => pattern.test(url)) ?? ['the rest'];
  return cause;
}
