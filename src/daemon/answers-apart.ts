import { fork, type ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Candle } from '../domain/candle.ts';
import { messageOf } from '../domain/errors.ts';
import { retainNewest } from '../domain/retain-newest.ts';
import { lengthText, MINUTE_MS } from '../domain/time-text.ts';
import { readRecord } from '../engine/stored-records.ts';
import type { EngineStatus } from '../engine/trading-state.ts';
import { sentence, type Sentence } from '../language/sentence.ts';
import type { StoredRow } from '../mirror/mirror-reader.ts';
import { ownModule } from '../plugins/own-files.ts';
import type { TextsOf } from '../records/field.ts';
import type { ORDER } from '../records/order.ts';
import type { INTENT } from '../records/rows.ts';
import type { ReadRules } from '../strategy/explain-rules.ts';

/** A question about the rules of a bot's strategy, which its data folder answers. */
export interface RuleQuestion {
  readonly dataFolder: string;
  /** Name of the strategy; null for the only one. */
  readonly strategy: string | null;
  /** Member of the strategy's universe; null for the market of the strategy. */
  readonly market: string | null;
  /** Time whose last closed bar is read, in ms since 1970; null for the newest. */
  readonly atMs: number | null;
}

/** Returns the markets in which a strategy runs: its own, or the members of its universe. */
export function marketsRunBy(
  stored: readonly StoredRow[],
  { name, market }: { readonly name: string; readonly market: string | null },
): readonly string[] {
  if (market !== null) return [market];
  const { universes = {} } = readRecord(stored, 'universes') ?? {};
  return Object.entries(universes).flatMap(([key, { members, kept }]) =>
    key.startsWith(`${name}/`) ? [...members.map((one) => one.market), ...kept] : [],
  );
}

/** A period in ms since 1970, without its end. */
export type Period = [fromMs: number, untilMs: number];

/** The rules of a bot's strategy at one bar. */
export interface BotRules extends ReadRules {
  readonly strategy: string;
  /** Markets in which it runs: its own, or the members of its universe. */
  readonly markets: readonly string[];
  /** Reasons for which it places no order whatever its conditions are, and what is not known of the bar. */
  readonly before: readonly Sentence[];
  /** The newest periods in which they were true, from the close of a bar to that of the next one. */
  readonly periods: Readonly<Record<'enter' | 'exit', readonly Period[]>> & {
    /** Close of the first bar at which the conditions to buy were known; null if they never were. */
    readonly knownSinceMs: number | null;
  };
}

/** Result of a question about rules: the rules, or why there are none. */
export type RuleAnswer =
  | { readonly kind: 'rules'; readonly rules: BotRules }
  /** The strategy has handlers of its own. */
  | { readonly kind: 'handlers' }
  /** `markets`: those to choose from, if none was named. */
  | (Problem & { readonly markets?: readonly string[] });

/** Reason a question has no answer. */
interface Problem {
  readonly kind: 'problem';
  readonly reason: Sentence;
}

/** A question about a decision of a recorded session: an order by its key or id, or an intent by its id. */
export interface MomentQuestion {
  readonly dataFolder: string;
  readonly name: string;
}

/** A step of the engine in which something was decided: what the bot knew, and what came of it. */
export interface DecisionMoment {
  readonly atMs: number;
  /** Kind of the event of the step, and the request that it answers; null if it is no answer. */
  readonly event: string;
  readonly call: string | null;
  readonly phase: EngineStatus['phase'];
  /** Best prices of each market in the last book that the bot had read; null for an empty side. */
  readonly books: readonly {
    readonly market: string;
    readonly bid: string | null;
    readonly ask: string | null;
  }[];
  /** Last closed bar of each series that the bot reads, such as `BTCIRT 1h`. */
  readonly bars: readonly (Candle & { readonly series: string })[];
  /** Assets of each strategy, its quote currencies too. */
  readonly held: readonly { readonly strategy: string; readonly asset: string; readonly amount: string }[];
  /** Orders that were at work or on their way, and the active locks. */
  readonly open: readonly TextsOf<typeof ORDER>[];
  readonly locks: readonly Sentence[];
  /** Conditions of the strategies of rules that decided in this step. */
  readonly rules: readonly ReadRules[];
  /** New intents and orders, as the step left them. */
  readonly intents: readonly TextsOf<typeof INTENT>[];
  readonly orders: readonly TextsOf<typeof ORDER>[];
  readonly log: readonly { readonly strategy: string; readonly text: string }[];
}

/** Replay of a recorded session to a decision. */
export interface MomentReplay {
  readonly beganMs: number;
  /** Time of the last event. */
  readonly endMs: number;
  /** Decisions that the code makes otherwise now, up to there. */
  readonly differences: readonly {
    readonly atMs: number;
    readonly strategy: string | null;
    /** Text of it in the session, and in the second run; null in a run that does not have it. */
    readonly session: string | null;
    readonly again: string | null;
    readonly why: string;
  }[];
  /** The moment at which it stopped; null if it ran to the end. */
  readonly moment: DecisionMoment | null;
  /**
   * Reason there is no moment: the session has no such decision, its events end before it, or the code does
   * not make it any more. Null if it is there, or none was requested.
   */
  readonly missing: 'unknown' | 'unreached' | 'otherwise' | null;
}

export type MomentAnswer = (MomentReplay & { readonly kind: 'replay' }) | Problem;

/** A program that answers questions, and its bounds. */
interface Answering<Answer> {
  readonly program: string;
  /** Time after which its process is ended, in ms; tests wait less. */
  readonly longestMs?: number;
  /** Memory limit of the process, in MB. */
  readonly heapMb?: number;
  /** Options of Node. */
  readonly flags?: readonly string[];
  /** True for one that would take a whole core: any other program of the machine goes first. */
  readonly isHeavy?: boolean;
  /** Returns the time for which an answer is used again, in ms. */
  readonly usedForMs?: (answer: Answer | Problem) => number;
  /** Time for which the process waits for the next question, in ms; the default is one process a question. */
  readonly idleForMs?: number;
}

const LONGEST_MS = 20_000;
const HEAP_MB = 256;
const ANSWER_FOR_MS = 5_000;

/** Options of Node for a process with code of a strategy that may only read. */
export const READ_ONLY = ['--permission', '--allow-fs-read=*', '--allow-addons', '--allow-worker'];

export const RULES: Answering<RuleAnswer> = { program: fileURLToPath(ownModule('daemon/read-bot-rules')) };

/** A replay may take minutes. Its answer can be used for long, unless the log is about to go on. */
export const MOMENTS: Answering<MomentAnswer> = {
  program: fileURLToPath(ownModule('backtest/replay-session')),
  longestMs: 5 * MINUTE_MS,
  heapMb: 512,
  flags: READ_ONLY,
  isHeavy: true,
  usedForMs: (answer) => (answer.kind === 'replay' && answer.missing === 'unreached' ? 1 : 30) * MINUTE_MS,
};

/** Maximum number of questions whose answers are stored. */
const MOST_QUESTIONS = 100;

/**
 * Answers questions about a data folder one after another, in a process apart: the file of a strategy is
 * other people's code, which may loop or crash, and its page and alerts must go on. The process gets no
 * environment, and so no secret.
 */
export class AnswersApart<Question, Answer> {
  private readonly known = new Map<
    string,
    { readonly answer: Promise<Answer | Problem>; usedUntilMs: number }
  >();
  private last: Promise<unknown> = Promise.resolve();
  private idle: { readonly child: ChildProcess; readonly timer: NodeJS.Timeout } | null = null;
  private readonly answering: Answering<Answer>;

  constructor(answering: Answering<Answer>) {
    this.answering = answering;
  }

  /** Returns why a question is refused while `most` others wait; null if it is not. */
  refusal(question: Question, most: number): Sentence | null {
    const count = [...this.known.values()].filter(({ usedUntilMs }) => usedUntilMs === Infinity).length;
    return count < most || this.isKnown(question) ? null : sentence('apart-busy', { most, count });
  }

  private isKnown(question: Question): boolean {
    return performance.now() < (this.known.get(JSON.stringify(question))?.usedUntilMs ?? 0);
  }

  /** Never rejects. */
  async get(question: Question): Promise<Answer | Problem> {
    const key = JSON.stringify(question);
    const known = this.known.get(key);
    if (known !== undefined && this.isKnown(question)) return known.answer;
    const { usedForMs = () => ANSWER_FOR_MS } = this.answering;
    const answer = this.last.then(async () => this.ask(key)).catch(problemOf);
    const entry = { answer, usedUntilMs: Infinity };
    this.last = answer.then((made) => (entry.usedUntilMs = performance.now() + usedForMs(made)));
    this.known.set(key, entry);
    retainNewest(this.known, MOST_QUESTIONS);
    return answer;
  }

  /** Ends the process that waits for a question. */
  close(): void {
    clearTimeout(this.idle?.timer);
    this.idle?.child.kill('SIGKILL');
    this.idle = null;
  }

  private async ask(question: string): Promise<Answer | Problem> {
    const { idleForMs = 0 } = this.answering;
    clearTimeout(this.idle?.timer);
    const before = this.idle?.child;
    const child = before?.connected === true && !before.killed ? before : begin(question, this.answering);
    const answer = await answerBy(child, question, this.answering);
    this.idle = { child, timer: setTimeout(() => this.close(), idleForMs).unref() };
    if (idleForMs === 0) this.close();
    return answer;
  }
}

export const createRuleAnswers = (bounds: Partial<typeof RULES> = {}) =>
  new AnswersApart<RuleQuestion, RuleAnswer>({ ...RULES, ...bounds });

export const createMomentAnswers = (bounds: Partial<typeof MOMENTS> = {}) =>
  new AnswersApart<MomentQuestion, MomentAnswer>({ ...MOMENTS, ...bounds });

/** Signal that ends a process whose heap has reached its limit. */
const OUT_OF_MEMORY = 'SIGABRT';

const problemOf = (error: unknown): Problem => ({ kind: 'problem', reason: messageOf(error) });

/** Begins the process of a program. Its first question is an argument too, for lists of processes. */
function begin<Answer>(
  question: string,
  { program, heapMb = HEAP_MB, flags = [], isHeavy }: Answering<Answer>,
): ChildProcess {
  const child = fork(program, [question], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
    execArgv: [`--max-old-space-size=${heapMb}`, ...flags],
  });
  if (isHeavy === true && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  return child;
}

/** Returns the answer of a process; one that ends without an answer, or takes too long, is a problem. */
async function answerBy<Answer>(
  child: ChildProcess,
  question: string,
  { longestMs = LONGEST_MS, heapMb = HEAP_MB }: Answering<Answer>,
): Promise<Answer | Problem> {
  const { promise, resolve } = Promise.withResolvers<Answer | Problem>();
  const end = (reason: Sentence): void => resolve({ kind: 'problem', reason });
  const timer = setTimeout(() => child.kill('SIGKILL'), longestMs);
  child.ref();
  child.channel?.ref();
  child.once('message', (answer) => resolve(answer as Answer));
  child.once('error', (error) => end(messageOf(error)));
  child.once('exit', (code, signal) =>
    end(
      child.killed
        ? sentence('apart-late', { bound: lengthText(longestMs) })
        : signal === OUT_OF_MEMORY
          ? sentence('apart-memory', { bound: heapMb })
          : sentence('apart-ended', { how: signal ?? `${code}` }),
    ),
  );
  child.send(question, (error) => (error === null ? undefined : child.emit('error', error)));
  const answer = await promise;
  clearTimeout(timer);
  for (const name of ['message', 'error', 'exit']) child.removeAllListeners(name);
  child.on('error', () => {});
  // A process that waits for a question keeps nobody alive.
  child.unref();
  child.channel?.unref();
  return answer;
}

/** Answers the questions of this process if it is that of a program; it ends with its parent. */
export function answerHere<Answer>(
  { program }: Answering<Answer>,
  answer: (question: never) => Promise<Answer>,
): void {
  if (process.argv[1] !== program) return;
  process.once('disconnect', () => process.exit());
  process.on('message', (question) => {
    void answer(JSON.parse(String(question)) as never)
      .catch(problemOf)
      .then((made) => process.send?.(made));
  });
}
