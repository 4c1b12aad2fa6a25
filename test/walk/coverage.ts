import { Session, type Profiler } from 'node:inspector/promises';

/** A function of our sources that ran, as `engine/outbox.ts 120`: its file and its position in it. */
export type FunctionRun = string;

/** Number of functions that ran in each file, by its path below `src/`. */
export type FilesRun = ReadonlyMap<string, number>;

type Scripts = readonly Profiler.ScriptCoverage[];

/** File of a module, below `src/`; null if not ours, or if of the simulator and that is left out. */
function sourceOf(url: string, isSimulatorCounted: boolean): string | null {
  const [, file] = url.split('/src/');
  if (file === undefined || url.includes('/node_modules/')) return null;
  return isSimulatorCounted || !/^simulator(?:-server)?\//.test(file) ? file : null;
}

/** Functions of our sources that ran, by V8's coverage. The loading of a module is no function. */
export function functionsRun(scripts: Scripts, isSimulatorCounted = true): ReadonlySet<FunctionRun> {
  const found = new Set<FunctionRun>();
  for (const { url, functions } of scripts) {
    const file = sourceOf(url, isSimulatorCounted);
    if (file === null) continue;
    for (const { functionName, ranges } of functions) {
      const [whole] = ranges;
      if (whole === undefined || whole.count === 0) continue;
      if (functionName === '' && whole.startOffset === 0) continue;
      found.add(`${file} ${whole.startOffset}`);
    }
  }
  return found;
}

/** Our modules that were loaded, by V8's coverage. */
export const modulesLoaded = (scripts: Scripts): ReadonlySet<string> =>
  new Set(scripts.flatMap(({ url }) => sourceOf(url, true) ?? []));

/** Counts the functions of each file. */
export function filesRun(functions: Iterable<FunctionRun>): FilesRun {
  const counts = new Map<string, number>();
  for (const run of functions) {
    const file = run.slice(0, run.lastIndexOf(' '));
    counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  return counts;
}

/** Measures which functions ran in this process between two moments, by V8's coverage. */
export class CoverageMeter {
  private readonly session = new Session();

  async start(): Promise<void> {
    this.session.connect();
    await this.session.post('Profiler.enable');
    await this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** Returns the functions of our sources that ran since the last call. */
  async take(isSimulatorCounted = true): Promise<ReadonlySet<FunctionRun>> {
    const { result } = await this.session.post('Profiler.takePreciseCoverage');
    return functionsRun(result, isSimulatorCounted);
  }
}
