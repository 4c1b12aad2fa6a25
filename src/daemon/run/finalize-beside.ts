import { messageOf } from '../../domain/errors.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import {
  finalizeSegments,
  type FinalizeReport,
  type FinalizeSegments,
} from '../../recording/finalize-segment.ts';
import type { Segment } from '../../recording/read-segment.ts';
import { ownModule } from '../../plugins/own-files.ts';
import { dirname } from 'node:path';
import type { LockFile } from '../../recording/append-rows.ts';
import { acquireProcessLock } from '../process-locks.ts';

/** Acquires the lock of a catalogue that is recorded into. */
export const claimRecording: LockFile = (path) =>
  acquireProcessLock({ path, what: dirname(path), otherwise: 'record into another folder' });

/** Path of this file, which is also the program of the separate process. */
const OWN_FILE = fileURLToPath(ownModule('daemon/run/finalize-beside'));

/** Scheduling priority of the process: after everything that trades. */
const NICENESS = 10;

/** Time after which the process is ended, in ms. */
const LONGEST_MS = 600_000;

interface Job {
  readonly segments: readonly Segment[];
  readonly root: string;
  readonly source: string;
}

/**
 * Finalizes segments in a separate process: it takes seconds of CPU and hundreds of megabytes, which must not
 * be those of a bot that trades. If that process ends without a result, the segments stay and are tried
 * again.
 */
export const finalizeBeside: FinalizeSegments = async (segments, { root, source }) => {
  const job: Job = { segments, root, source };
  const child = spawn(process.execPath, [OWN_FILE, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  });
  let out = '';
  let error = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error = `${error}${text}`.slice(-1_000)));
  try {
    if (child.pid !== undefined) setPriority(child.pid, NICENESS);
  } catch {
    // The process has ended already, or its priority may not be changed.
  }
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (code === 0) return JSON.parse(out) as readonly FinalizeReport[];
    return failed(segments, `the process that finalizes it ended with ${signal ?? code}: ${error.trim()}`);
  } catch (thrown) {
    return failed(segments, messageOf(thrown));
  }
};

function failed(segments: readonly Segment[], reason: string): readonly FinalizeReport[] {
  return segments.map((segment) => ({ kind: 'failed', segment, reason }));
}

if (process.argv[1] === OWN_FILE) {
  const { segments, root, source } = JSON.parse(process.argv[2] ?? '') as Job;
  const reports = await finalizeSegments(segments, { root, source, lockFile: claimRecording });
  process.stdout.write(JSON.stringify(reports));
}
