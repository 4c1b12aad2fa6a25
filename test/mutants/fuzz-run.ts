import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** A line of `sarraf fuzz --json` about a seed. */
const SEED_LINE = z.object({
  kind: z.literal('seed'),
  seed: z.int(),
  tookMs: z.number(),
  counts: z.record(z.string(), z.number()),
  violations: z.array(z.object({ check: z.string(), message: z.string() })),
});

type SeedLine = z.output<typeof SEED_LINE>;

export interface FuzzRunOptions {
  /** The checkout that is run. */
  readonly folder: string;
  readonly firstSeed: number;
  readonly seeds: number;
  /** Virtual hours of each. */
  readonly hours: number;
  /** Seeds at once. */
  readonly jobs: number;
}

export interface FuzzRun {
  readonly exitCode: number | null;
  readonly seeds: readonly SeedLine[];
  /** The last of what it had to say besides. */
  readonly complaint: string;
}

/** What is started, from the top of the project. */
export const COMMAND = 'bin/sarraf.js';

/** Kept of what goes to the standard error. */
const COMPLAINT_LENGTH = 2_000;

/** Runs the checkout's own `sarraf fuzz` until a seed fails or all have held. */
export async function runFuzz(options: FuzzRunOptions): Promise<FuzzRun> {
  const { folder, firstSeed, seeds, hours, jobs } = options;
  const span = ['--seed', String(firstSeed), '--seeds', String(seeds), '--hours', String(hours)];
  const child = spawn(
    process.execPath,
    [COMMAND, 'fuzz', '--json', '--fail-fast', '--jobs', String(jobs), ...span],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const end = (): void => void child.kill('SIGTERM');
  process.once('exit', end);
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once('close', resolve).once('error', reject),
  );
  const lines: SeedLine[] = [];
  let complaint = '';
  child.stderr.on('data', (bytes: Buffer) => {
    complaint = `${complaint}${bytes.toString()}`.slice(-COMPLAINT_LENGTH);
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const read = SEED_LINE.safeParse(jsonOf(line));
    if (read.success) lines.push(read.data);
  }
  const exitCode = await ended;
  process.off('exit', end);
  return { exitCode, seeds: lines, complaint: complaint.trim() };
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
