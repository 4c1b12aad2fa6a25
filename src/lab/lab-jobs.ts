import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { lifeSignOf, ownerText, thisOwner } from '../budget/process-owner.ts';
import { READ_ONLY } from '../daemon/answers-apart.ts';
import { acquireProcessLock, type ProcessLock } from '../daemon/process-locks.ts';
import { ApiError } from '../dashboard/api-error.ts';
import { reportIdOf } from '../dashboard/api-server.ts';
import { messageOf } from '../domain/errors.ts';
import { sentence } from '../language/sentence.ts';
import { IS_BUNDLE, ownFile, ownFolder } from '../plugins/own-files.ts';
import { commandsOf, studyOf, type JobPlaces, type JobSettings } from './lab-forms.ts';
import type { JobItem, JobProgress, JobRequest, JobState } from './lab-schema.ts';
import { LabStore } from './lab-store.ts';

/** Bounds of the work: the bot beside it must not notice it. */
export interface JobLimits {
  /** Jobs that run at once. */
  readonly atOnce: number;
  /** Memory of one job, in MB; one that takes more is ended. */
  readonly memoryMb: number;
  /** Longest time of one job, in ms. */
  readonly longestMs: number;
  /** Trials of a study at once. */
  readonly workers: number;
  /** Niceness of a job, 0 to 19. */
  readonly niceness: number;
}

interface LabJobsOptions extends Pick<JobPlaces, 'dataFolder' | 'catalogue' | 'language' | 'exchange'> {
  readonly limits: JobLimits;
  /** Checks a request and returns its settings. Throws `ApiError`. */
  readonly check: (request: JobRequest) => Promise<JobSettings>;
  readonly onError: (message: string) => void;
  readonly nowMs: () => number;
}

/** Maximum number of waiting jobs. */
const MOST_WAITING = 50;

/** Interval at which the memory of a job is read, in ms. */
const WATCH_EVERY_MS = 100;

/** Time after a request to end, in ms, after which a job is killed. */
const GRACE_MS = 5_000;

/** Maximum size of the scripts of reports, in characters. */
const MOST_SCRIPTS = 16 * 1_048_576;

/** Characters of the output that are stored: the last ones. */
const MOST_OUTPUT = 16_384;

/**
 * Writable memory in MB that the system grants a job beyond its limit, for stacks and the buffers of its
 * threads: the system itself stops a job that takes memory faster than it is watched.
 */
const BEYOND_MB = 512;

/** Command that limits the writable memory of a process, and becomes it. */
const LIMITED = 'ulimit -d "$0" && exec nice -n "$@"';

/**
 * Folders of the data folder that code of a strategy may write to. The mirror of a bot, and the tokens of its
 * page, are beside them.
 */
const WRITABLE = ['backtests', 'studies', 'lab/cache'];

/** Begin of a line with progress; see `ProgressReport`. */
const PROGRESS = '{"progress":';

/** Signals with which V8 and the system end a process that gets no memory. */
const OUT_OF_MEMORY: ReadonlySet<NodeJS.Signals | null> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGBUS']);

/** True if a process failed because it got no memory: by its signal, or by an error that it wrote. */
const isOutOfMemory = (signal: NodeJS.Signals | null, output: string): boolean =>
  OUT_OF_MEMORY.has(signal) ||
  /\b(?:(?:cannot|failed to) allocate memory|allocation failed|out of memory)\b/i.test(output);

/** A job whose process runs. */
interface RunningJob {
  child: ChildProcess | null;
  /** State in which it is ended before its time; null if it is not. */
  stopped: JobState | null;
  progress: JobProgress | null;
  output: string;
}

/**
 * Queue of the lab. Each job is a command of sarraf in a process of its own, with the lowest priority, a
 * limit of memory and one of time. A process with code of a strategy may write to the folders of results
 * alone, and begins no other process.
 */
export class LabJobs {
  private readonly options: LabJobsOptions;
  private readonly store: LabStore;
  private readonly folder: string;
  private readonly running = new Map<number, RunningJob>();
  private readonly ends = new Set<Promise<void>>();
  private readonly lock: ProcessLock;
  private scripts: Promise<unknown> | null = null;
  private isClosed = false;

  /** Opens the stored jobs. Throws `DATA_UNUSABLE`, also if another lab uses the data folder. */
  constructor(options: LabJobsOptions) {
    this.options = options;
    this.folder = join(options.dataFolder, 'lab');
    mkdirSync(this.folder, { recursive: true });
    this.lock = acquireProcessLock({
      path: join(this.folder, 'lab.lock'),
      what: `the lab of ${options.dataFolder}`,
      otherwise: 'end the other one, or name another folder with --data',
    });
    this.store = new LabStore(this.folder, options.nowMs);
  }

  /** Ends what an earlier lab left running, and goes on with the queue. */
  begin(): void {
    for (const { id, owner } of this.store.inState('running')) {
      if (owner !== null) killOwner(owner);
      this.store.end(id, { state: 'abandoned', output: '', report: null, run: null });
    }
    this.fill();
  }

  /** Checks a request and adds it to the queue. Returns its id. Throws `ApiError`. */
  async add(request: JobRequest, by: string): Promise<number> {
    const waiting = this.store.inState('waiting').length;
    if (waiting >= MOST_WAITING)
      throw new ApiError('queue-full', sentence('lab-queue-full', { count: waiting }));
    await this.options.check(request);
    const { id, dropped } = this.store.add(request, by);
    for (const old of dropped) rmSync(this.fileOf(old), { force: true });
    this.fill();
    return id;
  }

  /** Ends a job, or takes it out of the queue; one that has ended stays as it is. Throws `ApiError`. */
  cancel(id: number): void {
    const job = this.job(id);
    if (job.state === 'running') this.stop(id, 'cancelled');
    if (job.state === 'waiting')
      this.store.end(id, { state: 'cancelled', output: '', report: null, run: null });
  }

  list(): readonly JobItem[] {
    return this.store.list().map(({ owner: _owner, ...job }) => ({
      ...job,
      progress: this.running.get(job.id)?.progress ?? null,
    }));
  }

  /** Returns the last lines that a job wrote. Throws `ApiError`. */
  outputOf(id: number): string {
    return this.running.get(id)?.output ?? this.store.outputOf(this.job(id).id) ?? '';
  }

  /** Stops running a job again when its strategy is saved. */
  endAgain(id: number): void {
    this.store.endAgain(id);
  }

  /** Ends all running jobs and waits for their processes; those that wait stay in the queue. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const id of this.running.keys()) this.stop(id, 'abandoned');
    await Promise.all(this.ends);
    this.store.close();
    this.lock[Symbol.dispose]();
  }

  /** Returns the file with the settings of a job, which the command line runs as well. */
  private fileOf(id: number): string {
    return join(this.folder, `${id}.yaml`);
  }

  private job(id: number) {
    const job = this.store.get(id);
    if (job === null) throw new ApiError('not-found', sentence('lab-no-job', { found: String(id) }));
    return job;
  }

  /** Begins waiting jobs while there is room. */
  private fill(): void {
    if (this.isClosed) return;
    const { atOnce } = this.options.limits;
    for (const job of this.store.inState('waiting')) {
      if (this.running.size >= atOnce) return;
      this.store.begin(job.id);
      const running: RunningJob = { child: null, stopped: null, progress: null, output: '' };
      this.running.set(job.id, running);
      const end = this.perform(job.id, job.request, running).catch((error: unknown) =>
        this.options.onError(messageOf(error)),
      );
      this.ends.add(end);
      void end.finally(() => {
        this.ends.delete(end);
        this.running.delete(job.id);
        this.fill();
      });
    }
  }

  private async perform(id: number, request: JobRequest, running: RunningJob): Promise<void> {
    const { dataFolder, catalogue, language, exchange, limits } = this.options;
    const file = this.fileOf(id);
    const late = setTimeout(() => this.stop(id, 'out-of-time'), limits.longestMs);
    let state: JobState = 'done';
    const study = studyOf(id, request);
    try {
      await (this.scripts ??= this.buildScripts());
      const settings = await this.options.check(request);
      writeFileSync(file, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
      const places = { dataFolder, catalogue, language, exchange, file, workers: limits.workers };
      for (const command of commandsOf({ id, request, settings }, places)) {
        if (running.stopped !== null) break;
        state = await this.run(id, command, running);
        if (state !== 'done') break;
      }
    } catch (error) {
      state = 'failed';
      addOutput(running, messageOf(error));
    } finally {
      clearTimeout(late);
    }
    const folder = /^Report: (.+)[/\\]report\.html$/m.exec(running.output)?.[1];
    const name = folder === undefined ? null : relative(dataFolder, folder).split(sep).join('/');
    const page = study === null ? name : `studies/${study}`;
    const ended = running.stopped ?? state;
    this.store.end(id, {
      state: ended,
      output: running.output,
      // A backtest whose strategy stopped has one as well.
      report:
        page === null || (study !== null && ended !== 'done') ? null : reportIdOf(`${page}/report.html`),
      run: name === null ? null : (name.split('/').at(-1) ?? null),
    });
  }

  /** Runs one command; returns how it ended. */
  private async run(id: number, command: readonly string[], running: RunningJob): Promise<JobState> {
    const { limits } = this.options;
    const kilobytes = (limits.memoryMb + BEYOND_MB) * 1_024;
    const child = spawn(
      '/bin/sh',
      [
        '-c',
        LIMITED,
        String(kilobytes),
        String(limits.niceness),
        process.execPath,
        `--max-old-space-size=${Math.floor(limits.memoryMb * 0.75)}`,
        ...(command[0] === 'data' ? [] : this.permissions()),
        ownFile('bin/sarraf.js'),
        ...command,
      ],
      { cwd: this.folder, env: this.environment(command), stdio: ['ignore', 'pipe', 'pipe'] },
    );
    running.child = child;
    const ended = new Promise<JobState>((resolve) => {
      child.once('error', (error) => {
        addOutput(running, error.message);
        resolve('failed');
      });
      child.once('close', (code, signal) =>
        resolve(code === 0 ? 'done' : isOutOfMemory(signal, running.output) ? 'out-of-memory' : 'failed'),
      );
    });
    const { pid } = child;
    const watch = setInterval(() => {
      if (pid !== undefined && residentMb(pid) > limits.memoryMb) this.stop(id, 'out-of-memory');
    }, WATCH_EVERY_MS);
    child.stdout.setEncoding('utf8').on('data', (text: string) => addOutput(running, text));
    let rest = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = (lines.pop() ?? '').slice(-MOST_OUTPUT);
      for (const line of lines) readErrorLine(running, line);
    });
    if (pid !== undefined) this.store.setOwner(id, ownerText(thisOwner(pid)));
    const state = await ended;
    clearInterval(watch);
    if (rest !== '') readErrorLine(running, rest);
    running.child = null;
    running.progress = null;
    return state;
  }

  /** Options of Node with which code of a strategy can write to these folders alone, and start no process. */
  private permissions(): readonly string[] {
    const folders = WRITABLE.map((name) => join(this.options.dataFolder, name));
    // Node grants what is in a folder only if the folder is there.
    for (const folder of folders) mkdirSync(folder, { recursive: true });
    return [
      ...READ_ONLY,
      ...folders.map((folder) => `--allow-fs-write=${folder}`),
      '--disable-warning=SecurityWarning',
    ];
  }

  private get scriptsFile(): string {
    return join(this.folder, 'report-scripts.json');
  }

  /** Builds the scripts of reports, which a job can not: it may begin no process. A bundle has them. */
  private async buildScripts(): Promise<void> {
    if (IS_BUNDLE) return;
    const program = join(ownFolder('page'), 'build-reports.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [program], { maxBuffer: MOST_SCRIPTS });
    writeFileSync(this.scriptsFile, stdout);
  }

  /** Returns the environment of a job: code of a strategy gets no secret. */
  private environment([kind]: readonly string[]): NodeJS.ProcessEnv {
    const { PATH = '', HOME = '', TZ, NODE_COMPILE_CACHE } = process.env;
    const own = {
      PATH,
      HOME,
      ...(TZ === undefined ? {} : { TZ }),
      ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
      XDG_CACHE_HOME: join(this.folder, 'cache'),
      ...(IS_BUNDLE ? {} : { SARRAF_REPORT_SCRIPTS: this.scriptsFile }),
      SARRAF_PROGRESS: 'records',
    };
    // Downloads use the ledger of all processes, which the environment may name.
    return kind === 'data' ? { ...process.env, SARRAF_PROGRESS: 'records' } : own;
  }

  private stop(id: number, state: JobState): void {
    const running = this.running.get(id);
    if (running === undefined || running.stopped !== null) return;
    running.stopped = state;
    const { child } = running;
    if (child === null) return;
    // Its memory must be free at once; any other job may store what it has.
    child.kill(state === 'out-of-memory' ? 'SIGKILL' : 'SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    child.once('close', () => clearTimeout(kill));
  }
}

function addOutput(running: RunningJob, text: string): void {
  running.output = `${running.output}${text}`.slice(-MOST_OUTPUT);
}

function readErrorLine(running: RunningJob, line: string): void {
  if (!line.startsWith(PROGRESS)) {
    addOutput(running, `${line}\n`);
    return;
  }
  try {
    running.progress = (JSON.parse(line) as { readonly progress: JobProgress }).progress;
  } catch {
    // Half of a line, of a process that was killed.
  }
}

/** Returns the resident memory of a process in MB; 0 if it has ended. */
function residentMb(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

/** Kills a process that an earlier lab began, unless another one has its id by now. */
function killOwner(owner: string): void {
  if (lifeSignOf(owner, thisOwner()) !== 'alive') return;
  try {
    process.kill(Number(owner.split(' ')[2]), 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
