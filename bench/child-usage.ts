import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const HOOK = join(import.meta.dirname, 'usage-hook.js');
export const SARRAF = join(import.meta.dirname, '..', 'bin', 'sarraf.js');

/** Longest time of a command, in ms; one that takes longer is broken. */
const LONGEST_MS = 600_000;

const usageSchema = z.strictObject({
  cpuMs: z.number(),
  wallMs: z.number(),
  rssMb: z.number(),
  lagMs: z.number(),
  hasRequested: z.boolean(),
});

/**
 * Usage of a process in its whole life, or in the measured part: user and system CPU time, elapsed time, peak
 * memory in MB, and the 99th percentile of the event loop's lag in ms. The lag is 0 where the whole life was
 * measured.
 */
export type ChildUsage = z.infer<typeof usageSchema>;

interface Child {
  readonly command: readonly string[];
  /** Folder for the files of this measurement. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** True if it ends as it makes its first request. */
  readonly untilRequest?: boolean;
  /** It ends after `toMs`, and only the time after `fromMs` is measured. */
  readonly between?: { readonly fromMs: number; readonly toMs: number };
}

/**
 * Runs a script of Node in its own process, and returns its usage. Compiled code is cached in the folder, as
 * for a user. Throws if the process fails.
 */
export function childUsage({
  command,
  folder,
  environment = {},
  untilRequest = false,
  between,
}: Child): ChildUsage {
  const path = join(folder, 'usage.json');
  rmSync(path, { force: true });
  const { status, stderr } = spawnSync(process.execPath, ['--import', HOOK, ...command], {
    encoding: 'utf8',
    timeout: LONGEST_MS,
    maxBuffer: 64e6,
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      ...environment,
      SARRAF_BENCH_USAGE: path,
      ...(untilRequest ? { SARRAF_BENCH_UNTIL: 'request' } : {}),
      ...(between === undefined ? {} : { SARRAF_BENCH_BETWEEN: `${between.fromMs},${between.toMs}` }),
    },
  });
  if (status !== 0) throw new Error(`expected ${command.join(' ')} to end well, was ${status}: ${stderr}`);
  const usage = usageSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  if (usage.hasRequested !== untilRequest)
    throw new Error(`expected a request of ${command.join(' ')}: ${untilRequest}, was the other`);
  return usage;
}
