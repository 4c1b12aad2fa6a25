import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../domain/errors.ts';
import { retainNewest } from '../domain/retain-newest.ts';
import type { Sentence } from '../language/sentence.ts';
import { ownModule } from '../plugins/own-files.ts';
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

/** The rules of a bot's strategy at one bar. */
export interface BotRules extends ReadRules {
  readonly strategy: string;
  /** Markets in which it runs: its own, or the members of its universe. */
  readonly markets: readonly string[];
  /** Reasons for which it places no order whatever its conditions are, and what is not known of the bar. */
  readonly before: readonly Sentence[];
}

/** Result of a question about rules: the rules, or why there are none. */
export type RuleAnswer =
  | { readonly kind: 'rules'; readonly rules: BotRules }
  /** The strategy has handlers of its own. */
  | { readonly kind: 'handlers' }
  /** `markets`: those to choose from, if none was named. */
  | { readonly kind: 'problem'; readonly reason: Sentence; readonly markets: readonly string[] };

/** Path of the program that answers a question. */
export const RULES_PROGRAM = fileURLToPath(ownModule('daemon/read-bot-rules'));

/** Time after which that process is ended, in ms; tests wait less. */
const LONGEST_MS = 20_000;

/** Memory limit of the process, in MB. */
const HEAP_MB = 256;

/** Time for which an answer is used again, in ms. */
const ANSWER_FOR_MS = 5_000;

/** Maximum number of questions whose answers are stored. */
const MOST_QUESTIONS = 100;

/**
 * Answers questions about rules, each in a process of its own, one after another: the file of a strategy is
 * other people's code, which may loop or crash, and its page and alerts must go on. It gets no environment,
 * and so no secret.
 */
export class RuleAnswers {
  private readonly known = new Map<string, { readonly answer: Promise<RuleAnswer>; endedAtMs: number }>();
  private last: Promise<unknown> = Promise.resolve();
  private readonly longestMs: number;

  constructor(longestMs = LONGEST_MS) {
    this.longestMs = longestMs;
  }

  /** Never rejects. */
  async get(question: RuleQuestion): Promise<RuleAnswer> {
    const key = JSON.stringify(question);
    const known = this.known.get(key);
    if (known !== undefined && performance.now() - known.endedAtMs < ANSWER_FOR_MS) return known.answer;
    const answer = this.last
      .then(async () => answerApart<RuleAnswer>(RULES_PROGRAM, key, { timeout: this.longestMs }))
      .catch((error: unknown) => ({ kind: 'problem', reason: messageOf(error), markets: [] }) as const);
    const entry = { answer, endedAtMs: Number.POSITIVE_INFINITY };
    this.last = answer.then(() => (entry.endedAtMs = performance.now()));
    this.known.set(key, entry);
    retainNewest(this.known, MOST_QUESTIONS);
    return answer;
  }
}

/**
 * Has a program answer a question in a process without an environment, which is ended after `timeout` ms.
 * Rejects if it ends without an answer. `flags`: of Node, besides a limit of memory.
 */
export async function answerApart<Answer>(
  program: string,
  question: string,
  {
    timeout = LONGEST_MS,
    flags = [],
  }: { readonly timeout?: number | undefined; readonly flags?: readonly string[] },
): Promise<Answer> {
  const child = fork(program, [question], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
    execArgv: [`--max-old-space-size=${HEAP_MB}`, ...flags],
    timeout,
    killSignal: 'SIGKILL',
  });
  return new Promise((resolve, reject) => {
    child.once('message', (answer) => resolve(answer as Answer));
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`expected an answer of its process, was its end: ${signal ?? code}`)),
    );
  });
}
