import { readableDecimal } from '../language/format-number.ts';
import { reportVoice, type ReportVoice } from '../backtest/report-voice.ts';
import { factText, type FactFormatter } from '../backtest/value-text.ts';
import { ENGLISH_REPORT } from '../backtest/english-report.ts';
import { groupedText } from '../domain/money.ts';
import { timeframeMs, type Timeframe } from '../domain/candle.ts';
import type { Language } from '../language/locale.ts';
import { translateInto, type Translate } from '../language/translate.ts';
import { figureKind, type TrialMetrics } from './objectives.ts';
import { ENGLISH_STUDY, isFinding } from './english-study.ts';
import { PERSIAN_STUDY } from './texts/persian-study.ts';

/** Formats texts, numbers and times for commands and the report of a study. Commands use English. */
export interface StudyVoice extends Omit<ReportVoice, 't'> {
  readonly t: Translate<typeof ENGLISH_STUDY>;
  /** Returns the name of a metric; in English the same as in files and settings. */
  readonly metric: (name: string) => string;
  /** Returns one metric of many as text with its unit. */
  readonly figure: (name: string, metrics: TrialMetrics | null) => string;
  readonly param: (value: unknown) => string;
  /** Returns the text of a candle's length, such as `1h`. */
  readonly timeframe: (timeframe: string) => string;
  /** Returns a share with three digits, because 0.05 is a usual limit. */
  readonly chance: (share: number) => string;
}

const voices = new Map<Language, StudyVoice>();

export function studyVoice(language: Language): StudyVoice {
  const known = voices.get(language) ?? newVoice(language);
  voices.set(language, known);
  return known;
}

function newVoice(language: Language): StudyVoice {
  const { t: runText, ...report } = reportVoice(language);
  const texts = language === 'fa' ? PERSIAN_STUDY : ENGLISH_STUDY;
  const t = translateInto<typeof ENGLISH_STUDY>(language, texts);
  const isPersian = language === 'fa';
  const metric = (name: string): string => {
    if (!isPersian) return name;
    if (name === 'maxDrawdownMs') return t('metric.maxDrawdownMs');
    const key = `figure.${name}`;
    return isReportText(key) ? runText(key) : report.foreign(name);
  };
  const anyText = t as FactFormatter['anyText'];
  return {
    ...report,
    t,
    format: (fact) => factText(fact, { ...report, anyText, metric }),
    metric,
    figure: (name, metrics) => {
      const value = metrics?.[name] ?? null;
      if (value === null) return t('nothing');
      const kind = figureKind(name);
      if (kind === 'fraction') return report.percent(value);
      if (kind === 'length') return report.length(value);
      return Number.isInteger(value) ? report.digits(groupedText(String(value))) : report.number(value);
    },
    param: (value) => {
      if (value === undefined) return '';
      if (typeof value === 'number') return report.digits(readableDecimal(String(value)));
      if (typeof value === 'string' && /^-?\d+\.\d+$/.test(value))
        return report.digits(readableDecimal(value));
      return report.foreign(typeof value === 'string' ? value : JSON.stringify(value));
    },
    timeframe: (timeframe) => (isPersian ? report.length(timeframeMs(timeframe as Timeframe)) : timeframe),
    chance: (share) => report.digits(share.toFixed(3)),
  };
}

const isReportText = (key: string): key is keyof typeof ENGLISH_REPORT & `figure.${string}` =>
  Object.hasOwn(ENGLISH_REPORT, key);

/** Returns the output of commands with `--json`: findings become English sentences, whatever the language. */
export function studyJson(result: unknown): string {
  const { format } = studyVoice('en');
  return JSON.stringify(result, (_key, value: unknown) => (isFinding(value) ? format(value) : value));
}
