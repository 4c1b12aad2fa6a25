import { join } from 'node:path';
import { z } from 'zod';
import { backtestSettings, backtestShape, choice, keyName } from '../backtest/run-schema.ts';
import { problemLines } from '../configuration/load-yaml.ts';
import { marketSymbol } from '../daemon/setting-fields.ts';
import { ApiError } from '../dashboard/api-error.ts';
import { TIMEFRAMES } from '../domain/candle.ts';
import { sentence } from '../language/sentence.ts';
import { studyIn, studyShape } from '../study/study-settings.ts';
import { formFieldsOf, writtenOf } from './form-fields.ts';
import { JOB_KINDS, type FormField, type JobKind, type JobRequest } from './lab-schema.ts';

/** Settings that name files and folders, which the lab chooses, and those with a form of their own. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'strategy',
  'params',
  'csv',
  'csvForm',
  'catalogue',
  'signals',
  'config',
  'rules.latencyFrom',
]);

const AS_JSON: ReadonlySet<string> = new Set(['universe', 'space', 'constraints']);

const FORM = { leftOut: LEFT_OUT, asJson: AS_JSON };

const dataJob = { market: marketSymbol().describe('Market of the data.') };
const timeframe = choice(TIMEFRAMES).describe('Timeframe of the candles.');
const moment = z.string().max(40);

const downloadSettings = z.strictObject({
  ...dataJob,
  timeframe: timeframe.prefault('1h'),
  from: moment.describe('First candle to download.'),
  to: moment.optional().describe('End of the range; now without it.'),
});

const importSettings = z.strictObject({
  ...dataJob,
  file: z.string().describe('File of the folder imports below the data folder.'),
  kind: choice(['candles', 'trades', 'depth'])
    .optional()
    .describe('Kind of data; else found by the columns.'),
  timeframe: timeframe.optional(),
});

const verifySettings = z.strictObject({ market: dataJob.market.optional() });

/** Schemas of the settings of each kind of work, as forms show them. */
const SETTINGS = {
  backtest: z.strictObject(backtestShape),
  study: z.strictObject(withoutValidation()),
  'walk-forward': z.strictObject(studyShape),
  holdout: z.strictObject({}),
  download: downloadSettings,
  import: importSettings,
  verify: verifySettings,
} as const satisfies Readonly<Record<JobKind, z.ZodObject>>;

function withoutValidation() {
  const { validation: _validation, ...shape } = studyShape;
  return shape;
}

const formOf = (kind: JobKind): readonly FormField[] => formFieldsOf(SETTINGS[kind], FORM);

/** Returns the form of each kind of work. */
export function createForms(): Readonly<Record<JobKind, FormField[]>> {
  return Object.fromEntries(JOB_KINDS.map((kind) => [kind, [...formOf(kind)]])) as unknown as Record<
    JobKind,
    FormField[]
  >;
}

/** Place of what the commands of a job read and write. */
export interface JobPlaces {
  readonly dataFolder: string;
  readonly catalogue: string;
  /** File with the settings of the job. */
  readonly file: string;
  readonly language: 'en' | 'fa';
  /** Trials of a study at once. */
  readonly workers: number;
  /** Options that name the exchange; empty without one. */
  readonly exchange: readonly string[];
}

/** Strategy that a job runs, and the form of its params. */
export interface ChosenStrategy {
  /** Name of a bundled strategy, or the path of a file. */
  readonly plugin: string;
  readonly params: readonly FormField[];
}

/** Checked settings of a job, as a file has them. */
export type JobSettings = Readonly<Record<string, unknown>>;

/** Checks a request and returns its settings. Throws `ApiError` that names the first wrong field. */
export function checkJob(
  request: JobRequest,
  of: { readonly strategy: ChosenStrategy | null; readonly catalogue: string; readonly hasExchange: boolean },
): JobSettings {
  const { kind, study, isConfirmed, typed } = request;
  if (kind === 'backtest' || kind === 'study' || kind === 'walk-forward') return runSettings(request, of);
  if (kind === 'holdout' && !isConfirmed)
    throw new ApiError('invalid-request', sentence('lab-holdout-unconfirmed'), { field: 'isConfirmed' });
  if (kind === 'holdout' && !/^[A-Za-z0-9][\w.-]{0,99}$/.test(study))
    throw new ApiError('invalid-request', 'expected the name of a study', { field: 'study' });
  if (kind === 'download' && !of.hasExchange)
    throw new ApiError('invalid-request', sentence('lab-no-exchange'));
  return checked(SETTINGS[kind], writtenOf(typed, formOf(kind))) as JobSettings;
}

function runSettings(
  { kind, typed, params }: JobRequest,
  of: { readonly strategy: ChosenStrategy | null; readonly catalogue: string },
): JobSettings {
  if (of.strategy === null)
    throw new ApiError('invalid-request', sentence('lab-no-strategy'), { field: 'strategy' });
  const written = {
    strategy: of.strategy.plugin,
    catalogue: of.catalogue,
    ...writtenOf(typed, formOf(kind)),
    params: writtenOf(params, of.strategy.params),
  };
  if (kind === 'walk-forward' && !('validation' in written))
    throw new ApiError('invalid-request', 'validation.walkForward.train: expected a length such as 180d', {
      field: 'validation.walkForward.train',
    });
  checked(kind === 'backtest' ? backtestSettings(keyName) : studyIn(keyName), written);
  return written;
}

function checked(schema: z.ZodType, written: unknown): unknown {
  const read = schema.safeParse(written);
  if (read.success) return read.data;
  const [line = ''] = problemLines(read.error);
  const field = read.error.issues[0]?.path.join('.') ?? '';
  throw new ApiError('invalid-request', line, field === '' ? {} : { field });
}

/** Returns the study that a job is about; null for other work. */
export function studyOf(id: number, { kind, study }: JobRequest): string | null {
  if (kind === 'holdout') return study;
  return kind === 'study' || kind === 'walk-forward' ? `lab-${id}` : null;
}

/** Returns the commands that do a job, one after another. */
export function commandsOf(
  job: { readonly id: number; readonly request: JobRequest; readonly settings: JobSettings },
  places: JobPlaces,
): readonly (readonly string[])[] {
  const { id, request, settings } = job;
  const { kind } = request;
  const { dataFolder, file, language, workers } = places;
  const data = ['--data', dataFolder];
  const study = studyOf(id, request) ?? '';
  const report = ['study', 'report', study, ...data, '--language', language];
  const session = [file, '--name', study, ...data, '--workers', String(workers)];
  switch (kind) {
    case 'backtest':
      return [['backtest', file, ...data, '--language', language, '--count']];
    case 'study':
      return [['study', 'run', ...session], report];
    case 'walk-forward':
      return [['study', 'walk-forward', ...session], report];
    case 'holdout':
      return [['study', 'open-holdout', study, ...data], report];
    case 'download':
    case 'import':
    case 'verify':
      return [dataCommand(kind, settings as Readonly<Record<string, string | undefined>>, places)];
  }
}

function dataCommand(
  kind: 'download' | 'import' | 'verify',
  { file = '', ...settings }: Readonly<Record<string, string | undefined>>,
  { dataFolder, catalogue, exchange }: JobPlaces,
): readonly string[] {
  const options = Object.entries(settings).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  return [
    'data',
    kind,
    ...(kind === 'import' ? [join(dataFolder, 'imports', file)] : []),
    '--catalogue',
    catalogue,
    ...options,
    ...(kind === 'download' ? exchange : []),
  ];
}
