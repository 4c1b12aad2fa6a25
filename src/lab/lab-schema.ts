import { z } from 'zod';

/** Kinds of work that the lab does. */
export const JOB_KINDS = [
  'backtest',
  'study',
  'walk-forward',
  'holdout',
  'download',
  'import',
  'verify',
] as const;

export type JobKind = (typeof JOB_KINDS)[number];

/** States of a job; all but the first two are final. */
export const JOB_STATES = [
  'waiting',
  'running',
  'done',
  'failed',
  'cancelled',
  'out-of-memory',
  'out-of-time',
  'abandoned',
] as const;

export type JobState = (typeof JOB_STATES)[number];

/** Forms of a value that a person types. */
const FIELD_KINDS = ['choice', 'whole', 'number', 'switch', 'text', 'list', 'pairs', 'json'] as const;

const time = z.int().nonnegative().describe('Milliseconds since 1970, UTC.');
const count = z.int().nonnegative();

const formField = z.object({
  path: z.string().describe('Place in the settings, such as `rules.spreadBps`.'),
  kind: z.enum(FIELD_KINDS),
  choices: z.array(z.string()),
  usual: z.string().describe('Value without an own one, as it is typed; empty if there is none.'),
  isNeeded: z.boolean(),
  about: z.string().describe('Description by who declared the field, in English.'),
});

export type FormField = z.output<typeof formField>;

const strategyItem = z.object({
  id: z.string().describe('Name of a bundled strategy, or the file of an own one.'),
  isOwn: z.boolean(),
});

const recordingItem = z.object({
  market: z.string(),
  folder: z.string().describe('Such as `candles-1h`.'),
  anchor: z.string().nullable(),
  rows: count,
  fromMs: time.nullable(),
  toMs: time.nullable(),
  files: count,
  bytes: count,
  gaps: count,
  sources: z.array(z.string()),
});

export type RecordingItem = z.output<typeof recordingItem>;

const studyItem = z.object({
  name: z.string(),
  strategy: z.string(),
  markets: z.array(z.string()),
  done: count.describe('Trials that were run.'),
  wanted: count,
  hasHoldout: z.boolean(),
  openedAtMs: time.nullable().describe('When its hold-out was opened; null if it is closed.'),
  trialsOnData: count.describe('All trials ever run on this data, by the register.'),
  openedOnData: count.describe('Studies on this data whose hold-out was opened.'),
});

export type StudyItem = z.output<typeof studyItem>;

const progressItem = z.object({
  phase: z.string(),
  done: count,
  share: z.number().min(0).max(1).nullable(),
  note: z.string().nullable(),
});

export type JobProgress = z.output<typeof progressItem>;

/** Values as a person typed them, by the paths of their fields. */
const typedValues = z.record(z.string().max(100), z.string().max(4_000));

export type TypedValues = z.output<typeof typedValues>;

/** Work that a person requests. */
export const jobBody = z.strictObject({
  kind: z.enum(JOB_KINDS),
  strategy: z.string().max(200).default(''),
  typed: typedValues.default({}),
  params: typedValues.default({}).describe('Params of the strategy; a study does not search these.'),
  study: z.string().max(100).default('').describe('Study whose hold-out is opened.'),
  isConfirmed: z.boolean().default(false).describe('For a hold-out: it can be opened only once.'),
  again: z.boolean().default(false).describe('Runs again whenever the file of the strategy is saved.'),
});

export type JobRequest = z.output<typeof jobBody>;

const jobItem = z.object({
  id: count,
  request: jobBody,
  state: z.enum(JOB_STATES),
  by: z.string().describe('Name of the token that requested it.'),
  queuedAtMs: time,
  beganAtMs: time.nullable(),
  endedAtMs: time.nullable(),
  progress: progressItem.nullable(),
  report: z.string().nullable().describe('Its page is at `reports/ID`.'),
  run: z.string().nullable().describe('Name of the stored backtest.'),
});

export type JobItem = z.output<typeof jobItem>;

const runFigures = z.object({
  run: z.string(),
  report: z.string(),
  strategies: z.array(z.string()),
  params: z.record(z.string(), z.string()).describe('Params of its strategies, as a person types them.'),
  fromMs: z.int(),
  toMs: z.int(),
  quote: z.string(),
  figures: z.record(z.string(), z.union([z.string(), z.number()]).nullable()),
});

export type RunFigures = z.output<typeof runFigures>;

const get = <Reply extends z.ZodType, Query extends z.ZodObject | undefined = undefined>(
  path: string,
  summary: string,
  reply: Reply,
  query?: Query,
) => ({ method: 'GET', role: 'read', path, summary, reply, query: query as Query }) as const;

const post = <Body extends z.ZodType, Reply extends z.ZodType>(
  path: string,
  summary: string,
  body: Body,
  reply: Reply,
) => ({ method: 'POST', role: 'operate', path, summary, body, reply }) as const;

const idReply = z.object({ id: count });

/** Settings of runs that decide whether their figures can be compared. */
const GROUNDS = ['span', 'bars', 'fidelity', 'markets', 'strategies', 'config', 'currency'] as const;

/** Maximum number of runs that are shown side by side. */
export const MOST_COMPARED = 4;

/** Endpoints of the lab below `/api/v1`, besides those of sessions and reports. */
export const LAB_ENDPOINTS = {
  desk: get(
    '/desk',
    'What can be run: strategies, the forms of each kind of work, files to import.',
    z.object({
      strategies: z.array(strategyItem),
      forms: z.record(z.enum(JOB_KINDS), z.array(formField)),
      files: z.array(z.string()).describe('Files in `imports` below the data folder.'),
      hasExchange: z.boolean().describe('True if candles can be downloaded.'),
      jobsAtOnce: count,
      memoryMb: count,
      longestMs: count,
    }),
  ),
  params: get(
    '/params',
    'Params of a strategy.',
    z.object({
      fields: z.array(formField),
      problem: z.string().nullable().describe('Why the file cannot be read; null if it can.'),
    }),
    z.object({ strategy: z.string().max(200) }),
  ),
  data: get('/data', 'Recordings of the catalogue.', z.object({ recordings: z.array(recordingItem) })),
  studies: get('/studies', 'Studies below the data folder.', z.object({ studies: z.array(studyItem) })),
  jobs: get('/jobs', 'The newest jobs, newest first.', z.object({ jobs: z.array(jobItem) })),
  output: get('/jobs/:id/output', 'The last lines that a job wrote.', z.object({ text: z.string() })),
  compare: get(
    '/compare',
    'Figures of several runs side by side.',
    z.object({
      runs: z.array(runFigures),
      grounds: z.array(z.enum(GROUNDS)).describe('Settings that differ between the runs.'),
    }),
    z.object({ runs: z.string().max(500).describe('Names of runs, separated by commas.') }),
  ),
  addJob: post(
    '/jobs',
    'Adds a job to the queue. Each backtest and each trial of a study is counted.',
    jobBody,
    idReply,
  ),
  cancelJob: post(
    '/jobs/:id/cancel',
    'Ends a job, or takes it out of the queue.',
    z.strictObject({}),
    idReply,
  ),
} as const;

export type LabEndpoint = keyof typeof LAB_ENDPOINTS;

/** Reply of an endpoint. */
export type LabReply<Name extends LabEndpoint> = z.output<(typeof LAB_ENDPOINTS)[Name]['reply']>;
