import { Session, type Profiler } from 'node:inspector/promises';

/** A function of a source file of ours that ran, as `engine/outbox.ts 120`: its file, and where it begins. */
export type FunctionRun = string;

/** How many functions ran in each file, by its path below `src/`. */
export type FilesRun = ReadonlyMap<string, number>;

type Scripts = readonly Profiler.ScriptCoverage[];

/** The file below `src/` of a module; null for what is not ours, or of the simulator where that is left out. */
function sourceOf(url: string, isSimulatorCounted: boolean): string | null {
  const [, file] = url.split('/src/');
  if (file === undefined || url.includes('/node_modules/')) return null;
  return isSimulatorCounted || !/^simulator(?:-server)?\//.test(file) ? file : null;
}

/** The functions of our sources that a coverage says ran. Loading a module is no function. */
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

/** Our modules that a coverage says were loaded. */
export const modulesLoaded = (scripts: Scripts): ReadonlySet<string> =>
  new Set(scripts.flatMap(({ url }) => sourceOf(url, true) ?? []));

/** Counts functions by their file. */
export function filesRun(functions: Iterable<FunctionRun>): FilesRun {
  const counts = new Map<string, number>();
  for (const run of functions) {
    const file = run.slice(0, run.lastIndexOf(' '));
    counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  return counts;
}

/** Counts what V8 says ran in this process between two moments. */
export class CoverageMeter {
  private readonly session = new Session();

  async start(): Promise<void> {
    this.session.connect();
    await this.session.post('Profiler.enable');
    await this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** The functions of our sources that ran since the last call. */
  async take(isSimulatorCounted = true): Promise<ReadonlySet<FunctionRun>> {
    const { result } = await this.session.post('Profiler.takePreciseCoverage');
    return functionsRun(result, isSimulatorCounted);
  }
}
