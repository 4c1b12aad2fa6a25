import { readdirSync, statSync } from 'node:fs';
import { join, resolve, relative } from 'node:path';
import { groundsApart } from '../backtest/difference.ts';
import { findRun, type StoredRun } from '../backtest/read-run-folder.ts';
import { openCatalogue } from '../daemon/open-catalogue.ts';
import { ApiError } from '../dashboard/api-error.ts';
import { ApiServer, type ApiServerOptions, reportIdOf, type ServedCall } from '../dashboard/api-server.ts';
import { closing } from '../domain/closing.ts';
import { SarrafError } from '../domain/errors.ts';
import { retainNewest } from '../domain/retain-newest.ts';
import { sentence } from '../language/sentence.ts';
import { ownStrategies } from '../plugins/own-files.ts';
import { coverageOf } from '../recording/manifest.ts';
import { StudyFolder, TrialRegister } from '../study/study-place.ts';
import { studyResult } from '../study/study-result.ts';
import { StudyStore } from '../study/study-store.ts';
import { describeStrategy, type DescribedStrategy } from './describe-strategy.ts';
import { typedOf } from './form-fields.ts';
import { checkJob, createForms, type ChosenStrategy, type JobSettings } from './lab-forms.ts';
import { type JobLimits, LabJobs } from './lab-jobs.ts';
import {
  LAB_ENDPOINTS,
  MOST_COMPARED,
  type JobRequest,
  type LabEndpoint,
  type LabReply,
  type RecordingItem,
  type RunFigures,
  type StudyItem,
} from './lab-schema.ts';

export interface LabOptions extends ApiServerOptions {
  readonly catalogue: string;
  /** Folder with own strategies, beside those that are bundled. */
  readonly strategiesFolder: string;
  /** Options of a download that name the exchange; empty without one. */
  readonly exchange: readonly string[];
  readonly limits: JobLimits;
}

/** Maximum number of strategies, and of files to import, that are listed. */
const MOST_FILES = 200;

/** Maximum number of studies that are listed, the newest by name. */
const MOST_STUDIES = 50;

/** Maximum number of strategies whose params are stored. */
const MOST_DESCRIBED = 200;

/** Interval at which the files of strategies are checked for changes, in ms. */
const SAVED_EVERY_MS = 1_000;

type Handler<Name extends LabEndpoint> = (call: ServedCall) => LabReply<Name> | Promise<LabReply<Name>>;

/**
 * The lab: a page and its API that list strategies and data, and run backtests, studies and data commands
 * one after another, each in a process of its own. It asks no exchange, but for a download that a person
 * requests, and no bot knows of it.
 */
export class LabServer {
  private readonly options: LabOptions;
  private readonly jobs: LabJobs;
  private readonly server: ApiServer;
  private readonly described = new Map<string, Promise<DescribedStrategy>>();
  private readonly forms = createForms();
  private readonly watch: NodeJS.Timeout;

  /** Throws as `ApiServer` and `LabJobs` do. */
  constructor(options: LabOptions) {
    const { dataFolder, catalogue, language, exchange, limits, onError, nowMs = Date.now } = options;
    this.options = options;
    this.jobs = new LabJobs({
      dataFolder,
      catalogue,
      language,
      exchange,
      limits,
      onError,
      nowMs,
      check: async (request) => this.check(request),
    });
    const handlers = this.handlers();
    this.server = new ApiServer(options, {
      endpoints: LAB_ENDPOINTS,
      startFile: 'lab.html',
      answer: async (name, call) => handlers[name as LabEndpoint](call),
    });
    this.watch = setInterval(() => void this.runSavedAgain(), SAVED_EVERY_MS);
    this.watch.unref();
  }

  /** @see ApiServer.listen */
  async listen(): Promise<string> {
    try {
      const address = await this.server.listen();
      this.jobs.begin();
      return address;
    } catch (error) {
      await this.closeJobs();
      throw error;
    }
  }

  /** Ends every connection and every running job. */
  async close(): Promise<void> {
    await this.server.close();
    await this.closeJobs();
  }

  private async closeJobs(): Promise<void> {
    clearInterval(this.watch);
    await this.jobs.close();
  }

  private handlers(): { readonly [Name in LabEndpoint]: Handler<Name> } {
    const { dataFolder, exchange, limits } = this.options;
    return {
      desk: () => ({
        strategies: [...this.strategies()],
        forms: { ...this.forms },
        files: filesIn(join(dataFolder, 'imports'), /\.(?:csv|jsonl|parquet|gz)$/),
        hasExchange: exchange.length > 0,
        jobsAtOnce: limits.atOnce,
        memoryMb: limits.memoryMb,
        longestMs: limits.longestMs,
      }),
      params: async ({ query }) => this.describe((query as { readonly strategy: string }).strategy),
      data: () => ({ recordings: recordingsIn(this.options.catalogue) }),
      studies: () => ({ studies: studiesIn(dataFolder) }),
      jobs: () => ({ jobs: [...this.jobs.list()] }),
      output: ({ params }) => ({ text: this.jobs.outputOf(idIn(params)) }),
      compare: ({ query }) => compareRuns(dataFolder, (query as { readonly runs: string }).runs),
      addJob: async ({ body, person }) => ({ id: await this.jobs.add(body as JobRequest, person.name) }),
      cancelJob: ({ params }) => {
        const id = idIn(params);
        this.jobs.cancel(id);
        return { id };
      },
    };
  }

  /** Returns own strategies by their files, then the bundled ones by their names. */
  private strategies(): readonly { readonly id: string; readonly isOwn: boolean }[] {
    const own = resolve(this.options.strategiesFolder);
    const bundled = resolve(ownStrategies());
    const names = filesIn(bundled, STRATEGY).map((file) => file.replace(/\.\w+$/, ''));
    return [
      ...(own === bundled ? [] : filesIn(own, STRATEGY).map((id) => ({ id, isOwn: true }))),
      ...names.map((id) => ({ id, isOwn: false })),
    ];
  }

  /** Returns the file of a strategy of the list. Throws `ApiError` for any other. */
  private fileOf(id: string): { readonly file: string; readonly plugin: string } {
    const found = this.strategies().find((one) => one.id === id);
    if (found === undefined)
      throw new ApiError('invalid-request', sentence('lab-no-strategy'), { field: 'strategy' });
    const own = resolve(this.options.strategiesFolder, id);
    if (found.isOwn) return { file: own, plugin: own };
    const file = filesIn(ownStrategies(), STRATEGY).find((name) => name.replace(/\.\w+$/, '') === id);
    return { file: join(ownStrategies(), file ?? ''), plugin: id };
  }

  /** Returns the params of a strategy; they are read again once its file has changed. */
  private async describe(id: string): Promise<DescribedStrategy> {
    const { file } = this.fileOf(id);
    const key = `${statSync(file).mtimeMs} ${file}`;
    const known = this.described.get(key) ?? describeStrategy(file);
    this.described.set(key, known);
    retainNewest(this.described, MOST_DESCRIBED);
    return known;
  }

  private async check(request: JobRequest): Promise<JobSettings> {
    const { catalogue, dataFolder, exchange } = this.options;
    const { file } = request.typed;
    const writes = request.kind === 'import' || request.kind === 'download';
    if (writes && relative(dataFolder, catalogue).startsWith('..'))
      throw new ApiError('invalid-request', sentence('lab-other-catalogue', { path: catalogue }));
    if (request.kind === 'import' && !filesIn(join(dataFolder, 'imports'), /./).includes(file ?? ''))
      throw new ApiError('invalid-request', sentence('lab-no-file', { found: file ?? 'none' }), {
        field: 'file',
      });
    const strategy = request.strategy === '' ? null : await this.chosen(request.strategy);
    return checkJob(request, { strategy, catalogue, hasExchange: exchange.length > 0 });
  }

  private async chosen(id: string): Promise<ChosenStrategy> {
    const { plugin } = this.fileOf(id);
    const { fields, problem } = await this.describe(id);
    if (problem !== null) throw new ApiError('invalid-request', problem, { field: 'strategy' });
    return { plugin, params: fields };
  }

  /** Adds a job again whose strategy was saved since, if its person wants that. */
  private async runSavedAgain(): Promise<void> {
    for (const { id, request, queuedAtMs, state, by } of this.jobs.list()) {
      if (!request.again || state === 'waiting' || state === 'running') continue;
      const found = this.strategies().find((one) => one.id === request.strategy);
      if (found?.isOwn !== true) continue;
      const { mtimeMs } = statSync(this.fileOf(request.strategy).file, { throwIfNoEntry: false }) ?? {};
      if (mtimeMs === undefined || mtimeMs <= queuedAtMs) continue;
      this.jobs.endAgain(id);
      // A file with a mistake is shown as a job that failed.
      await this.jobs.add(request, by).catch((error: unknown) => this.options.onError(String(error)));
    }
  }
}

const STRATEGY = /^[\w-][\w.-]*(?<!\.d|\.test)\.(?:ts|mts|js|mjs)$/;

/** Returns the names of the files directly in a folder that match; links are left out. */
function filesIn(folder: string, pattern: RegExp): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && pattern.test(entry.name))
      .map(({ name }) => name)
      .toSorted()
      .slice(0, MOST_FILES);
  } catch {
    // A folder that is missing has no files.
    return [];
  }
}

function idIn({ id = '' }: Readonly<Record<string, string>>): number {
  if (!/^\d{1,15}$/.test(id)) throw new ApiError('not-found', sentence('lab-no-job', { found: id }));
  return Number(id);
}

/** Returns the coverage of every folder of a catalogue that can be read. */
function recordingsIn(root: string): RecordingItem[] {
  return openCatalogue(root)
    .readable()
    .map(({ key, found }) => {
      const { sources, ...summary } = coverageOf(key, found);
      return { ...summary, sources: [...sources] };
    });
}

function studiesIn(dataFolder: string): StudyItem[] {
  const folder = new StudyFolder(dataFolder);
  const names = folder.names().slice(-MOST_STUDIES);
  if (names.length === 0) return [];
  using register = closing(new TrialRegister(folder.registerPath));
  return names.flatMap((name) => {
    try {
      using store = closing(StudyStore.openToRead(folder.pathOf(name)));
      const onData = register.onData.bind(register);
      const { strategy, markets, wanted, counts, range, holdout, trialsOnData } = studyResult(store, {
        name,
        onData,
      });
      return [
        {
          name,
          strategy,
          markets: [...markets],
          done: counts.done,
          wanted,
          hasHoldout: range.splitMs < range.toMs,
          openedAtMs: holdout?.openedAtMs ?? null,
          trialsOnData: trialsOnData.trials,
          openedOnData: trialsOnData.opened,
        },
      ];
    } catch (error) {
      // A study that cannot be read must not hide the others.
      if (error instanceof SarrafError) return [];
      throw error;
    }
  });
}

/** Returns the figures of runs, and what differs between their settings. Throws `ApiError`. */
function compareRuns(dataFolder: string, names: string): LabReply<'compare'> {
  const wanted = names.split(',').filter(Boolean);
  if (wanted.length > MOST_COMPARED)
    throw new ApiError('invalid-request', `expected at most ${MOST_COMPARED} runs`, { field: 'runs' });
  const runs = wanted.map((name) => runNamed(dataFolder, name));
  const [first, ...others] = runs;
  const grounds = others.flatMap(({ result }) =>
    first === undefined ? [] : groundsApart(first.result, result),
  );
  return { runs: runs.map(figuresOf), grounds: [...new Set(grounds)] };
}

function runNamed(dataFolder: string, name: string): StoredRun {
  try {
    const root = join(dataFolder, 'backtests');
    const found = /^[\w-][\w.-]*$/.test(name) ? findRun(root, name) : null;
    // A part of a name, or a folder elsewhere, names nothing here.
    if (found?.path === join(root, name)) return found;
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
  }
  throw new ApiError('not-found', 'expected the names of stored runs', { field: 'runs' });
}

/** Returns params by their names; of several strategies with the name of each. */
function paramsOf(strategies: StoredRun['result']['strategies']): Record<string, string> {
  return Object.fromEntries(
    strategies.flatMap(({ name, params }) =>
      Object.entries(params ?? {}).map(([key, value]) => [
        strategies.length === 1 ? key : `${name}.${key}`,
        typedOf(value),
      ]),
    ),
  );
}

function figuresOf({ run, result }: StoredRun): RunFigures {
  const { quote, ...figures } = result.summary;
  return {
    run,
    report: reportIdOf(`backtests/${run}/report.html`),
    strategies: result.strategies.map(({ name }) => name),
    params: paramsOf(result.strategies),
    fromMs: result.fromMs,
    toMs: result.toMs,
    quote,
    figures,
  };
}
