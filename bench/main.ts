import { benchAction } from './action.ts';
import { benchAlert } from './alert.ts';
import { benchBacktest } from './backtest.ts';
import { benchClient } from './client.ts';
import { benchCommand } from './command.ts';
import { benchDecision } from './decision.ts';
import { benchDistributedStudy } from './distributed-study.ts';
import { benchEngine } from './engine.ts';
import { benchHttp } from './http.ts';
import { benchIdle } from './idle.ts';
import { benchLargestPaint } from './largest-paint.ts';
import { benchLab } from './lab.ts';
import { benchManyRuns } from './many-runs.ts';
import { benchMatching } from './matching.ts';
import { benchPages } from './pages.ts';
import { benchPoll } from './poll.ts';
import type { BenchResult } from './result.ts';
import { benchSamplers } from './sampler-cost.ts';
import { benchSaturation } from './saturation.ts';
import { benchSoak } from './soak.ts';
import { benchSql } from './sql.ts';
import { benchStart } from './start.ts';
import { benchStatistics } from './statistics.ts';
import { benchStudy } from './study.ts';
import { benchUniverse } from './universe.ts';
import { benchWorkerCall } from './worker-call.ts';

/** Every benchmark, by its name on the command line. */
const BENCHMARKS: Readonly<Record<string, () => BenchResult[] | Promise<BenchResult[]>>> = {
  matching: benchMatching,
  http: benchHttp,
  client: benchClient,
  saturation: benchSaturation,
  engine: benchEngine,
  decision: benchDecision,
  backtest: benchBacktest,
  command: benchCommand,
  'many-runs': benchManyRuns,
  pages: benchPages,
  paint: benchLargestPaint,
  poll: benchPoll,
  start: benchStart,
  sql: benchSql,
  idle: benchIdle,
  lab: benchLab,
  universe: benchUniverse,
  worker: benchWorkerCall,
  statistics: benchStatistics,
  samplers: benchSamplers,
  study: benchStudy,
  'distributed-study': benchDistributedStudy,
  alert: benchAlert,
  action: benchAction,
  soak: benchSoak,
};

const HELP = `Usage: npm run bench -- [--json] [NAME ...]

Measures sarraf against references in the same run. Names: ${Object.keys(BENCHMARKS).join(', ')} (all by default;
soak and distributed-study take minutes). Times mean little while something else keeps the machine busy.

  --json   print {"results":[{"name","value","unit","reference","ratio","target","holds"}]}
  --help   print this

Example: npm run -s bench -- --json matching

Exit codes: 0 every target is met, 1 one is missed, 2 an unknown name.
`;

const format = (value: number | null): string =>
  value === null ? '-' : value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 2 : 0 });

function print({ name, value, unit, reference, ratio, target, holds }: BenchResult): void {
  const against = reference === null ? '' : ` against ${format(reference)}`;
  const ratioText = ratio === null ? '' : `, ratio ${format(ratio)}`;
  const targetText = target === null ? '' : ` (target ${format(target)}: ${holds ? 'met' : 'MISSED'})`;
  console.log(`${name}: ${format(value)} ${unit}${against}${ratioText}${targetText}`);
}

const args = process.argv.slice(2);
const json = args.includes('--json');
const names = args.filter((arg) => arg !== '--json');
if (names.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}
const unknown = names.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  console.error(`expected names among ${Object.keys(BENCHMARKS).join(', ')}, was ${unknown.join(', ')}`);
  process.exit(2);
}
const results: BenchResult[] = [];
for (const [name, measure] of Object.entries(BENCHMARKS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  if (!json) console.log(`measuring ${name} ...`);
  const measured = await measure();
  results.push(...measured);
  if (!json) measured.forEach(print);
}
if (json) console.log(JSON.stringify({ results }));
process.exitCode = results.every((result) => result.holds) ? 0 : 1;
