import type { Readable, Writable } from 'node:stream';
import type * as Clack from '@clack/prompts';
import type { Language } from '../../language/locale.ts';
import { present } from '../../domain/errors.ts';
import type { CheckedText } from './bot-request.ts';

/** Question about the language, in both languages since none is chosen yet. */
export const LANGUAGE_QUESTION = 'Language? / زبان؟';
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', fa: 'فارسی' };

const ENGLISH = {
  intro: 'A new trading bot',
  folder: 'In which folder?',
  mode: 'On which exchange?',
  address: 'The address of the exchange?',
  market: 'Which market?',
  otherMarket: 'Which market? Such as BTCIRT or ETHUSDT',
  start: 'Which strategy do you begin with?',
  name: 'What is your strategy called?',
  ended: 'Ended: nothing was written.',
  packing: 'packing sarraf from its checkout, which takes some seconds …',
  made: (files: number, folder: string) => `${files} files are in ${folder}`,
  next: 'What comes next:',
};

/** Texts of "sarraf init" at a terminal. */
export type InitTexts = typeof ENGLISH;

const PERSIAN: InitTexts = {
  intro: 'یک ربات معامله‌گر تازه',
  folder: 'در کدام پوشه؟',
  mode: 'روی کدام صرافی؟',
  address: 'نشانی صرافی؟',
  market: 'کدام بازار؟',
  otherMarket: 'کدام بازار؟ مانند BTCIRT یا ETHUSDT',
  start: 'با کدام استراتژی شروع می‌کنید؟',
  name: 'نام استراتژی شما؟',
  ended: 'پایان: چیزی نوشته نشد.',
  packing: 'sarraf از روی کد خودش بسته‌بندی می‌شود؛ چند ثانیه طول می‌کشد …',
  made: (files, folder) => `${files.toLocaleString('fa-IR')} پرونده در ${folder} نوشته شد`,
  next: 'بعد از این:',
};

export const INIT_TEXTS: Readonly<Record<Language, InitTexts>> = { en: ENGLISH, fa: PERSIAN };

/** Terminal for the questions; the process's own if left out. */
export interface Terminal {
  readonly input?: Readable;
  readonly output?: Writable;
}

/** A possible answer to a question. */
interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

/** Error when a person pressed Ctrl-C at a question. */
export class QuestionsEnded extends Error {}

/** Asks questions at a terminal. Each throws `QuestionsEnded` if the person ends it. */
export class Questions {
  private readonly clack: typeof Clack;
  private readonly terminal: Terminal;

  private constructor(clack: typeof Clack, terminal: Terminal) {
    this.clack = clack;
    this.terminal = terminal;
  }

  /** Creates the questions; their library is loaded here, since nothing else uses it. */
  static async open(terminal: Terminal): Promise<Questions> {
    return new Questions(await import('@clack/prompts'), terminal);
  }

  title(text: string): void {
    this.clack.intro(text, this.terminal);
  }

  async pick<Value extends string>(message: string, choices: readonly Choice<Value>[]): Promise<Value> {
    const options = choices.map((choice) => ({ ...choice }));
    const answer = await this.clack.select<string>({ message, options, ...this.terminal });
    if (this.clack.isCancel(answer)) throw new QuestionsEnded();
    return present(
      choices.find(({ value }) => value === answer),
      'one of the choices',
    ).value;
  }

  /** Asks for a text until one passes a check; the problem with any other is shown. */
  async write<Value>(
    message: string,
    check: (text: string) => CheckedText<Value>,
    usual?: string,
  ): Promise<Value> {
    const checkAnswer = (typed: string | undefined): CheckedText<Value> =>
      check(typed === undefined || typed === '' ? (usual ?? '') : typed);
    const answer = await this.clack.text({
      message,
      ...(usual === undefined ? {} : { placeholder: usual, defaultValue: usual }),
      validate: (typed) => {
        const checked = checkAnswer(typed);
        return 'problem' in checked ? checked.problem : undefined;
      },
      ...this.terminal,
    });
    if (this.clack.isCancel(answer)) throw new QuestionsEnded();
    const checked = checkAnswer(answer);
    if ('problem' in checked) throw new QuestionsEnded();
    return checked.value;
  }
}
