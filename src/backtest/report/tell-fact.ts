import type { Fact, FactFigure } from '../../language/fact.ts';
import { capitalized } from './value-text.ts';
import type { ReportVoice } from './report-voice.ts';

/** What it takes to tell a fact in a language: how its texts, names and numbers are written. */
export interface FactTeller extends Pick<
  ReportVoice,
  'digits' | 'number' | 'percent' | 'minute' | 'length' | 'about' | 'asset' | 'said'
> {
  /** The text of a key. The maker of facts has checked that the figures are those of the text. */
  readonly sayAny: (key: string, values: Readonly<Record<string, string | number>>) => string;
  readonly metric: (name: string) => string;
  readonly list: (texts: readonly string[]) => string;
}

/** A fact as a sentence. One of the key `sentence` begins with a capital. */
export function tellFact({ fact, figures }: Fact, teller: FactTeller): string {
  const values = Object.entries(figures).map(([place, figure]) => [place, textOf(figure, teller)] as const);
  const text = teller.sayAny(fact, Object.fromEntries(values));
  return fact === 'sentence' ? capitalized(text) : text;
}

function textOf(figure: FactFigure, teller: FactTeller): string | number {
  if (typeof figure === 'number') return figure;
  // Files of before have some figures in words, such as `0.1 %`.
  if (typeof figure === 'string') return /[a-z]/i.test(figure) ? figure : teller.digits(figure);
  if (isList(figure)) return teller.list(figure.map((one) => String(textOf(one, teller))));
  if ('fact' in figure) return tellFact(figure, teller);
  if ('digits' in figure) return teller.digits(figure.digits);
  if ('value' in figure) return teller.number(figure.value);
  if ('share' in figure) return teller.percent(figure.share);
  if ('atMs' in figure) return teller.minute(figure.atMs);
  if ('currency' in figure) return teller.asset(figure.currency);
  if ('lengthMs' in figure) return teller.length(figure.lengthMs);
  if ('aboutMs' in figure) return teller.about(figure.aboutMs);
  return 'said' in figure ? teller.said(figure.said) : teller.metric(figure.metric);
}

const isList = (figure: FactFigure): figure is readonly FactFigure[] => Array.isArray(figure);
