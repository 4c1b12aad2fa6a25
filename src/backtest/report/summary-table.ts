import type { BacktestSummary } from '../result-schema.ts';
import { reportVoice, type ReportVoice } from '../report-voice.ts';

/** A figure for people: its name and its value. */
interface Figure {
  /** Its name in the result and in `docs/metrics.md`. */
  readonly name: keyof BacktestSummary;
  readonly title: string;
  readonly text: string;
}

export interface FigureGroup {
  readonly title: string;
  readonly figures: readonly Figure[];
}

/** Each figure of the summary under a heading, as text. */
export function figureGroups(summary: BacktestSummary, voice = reportVoice('en')): FigureGroup[] {
  const { t } = voice;
  const titled = (figures: readonly Shown[]): readonly Figure[] =>
    figures.map(([name, text]) => ({ name, title: t(`figure.${name}`), text }));
  return [
    { title: t('group.result'), figures: titled(resultFigures(summary, voice)) },
    { title: t('group.risk'), figures: titled(riskFigures(summary, voice)) },
    { title: t('group.trades'), figures: titled(tradeFigures(summary, voice)) },
    { title: t('group.activity'), figures: titled(activityFigures(summary, voice)) },
  ];
}

type Shown = readonly [name: keyof BacktestSummary, text: string];

function resultFigures(summary: BacktestSummary, { money, percent, currency }: ReportVoice): Shown[] {
  const { quote } = summary;
  return [
    ['quote', currency(quote)],
    ['initialEquity', money(summary.initialEquity, quote)],
    ['finalEquity', money(summary.finalEquity, quote)],
    ['profit', money(summary.profit, quote)],
    ['totalReturn', percent(summary.totalReturn)],
    ['buyAndHoldReturn', percent(summary.buyAndHoldReturn)],
    ['cagr', percent(summary.cagr)],
  ];
}

function riskFigures(summary: BacktestSummary, { number, percent, length }: ReportVoice): Shown[] {
  return [
    ['volatility', percent(summary.volatility)],
    ['sharpe', number(summary.sharpe)],
    ['sortino', number(summary.sortino)],
    ['calmar', number(summary.calmar)],
    ['omega', number(summary.omega)],
    ['maxDrawdown', percent(summary.maxDrawdown)],
    ['maxDrawdownMs', length(summary.maxDrawdownMs)],
    ['longestDrawdownMs', length(summary.longestDrawdownMs)],
  ];
}

function tradeFigures(summary: BacktestSummary, voice: ReportVoice): Shown[] {
  const { expectancy, quote, averageTradeMs, longestTradeMs } = summary;
  const { digits, number, percent, money, length } = voice;
  const span = (lengthMs: number | null): string => (lengthMs === null ? number(null) : length(lengthMs));
  return [
    ['trades', digits(String(summary.trades))],
    ['openTrades', digits(String(summary.openTrades))],
    ['winRate', percent(summary.winRate)],
    ['profitFactor', number(summary.profitFactor)],
    ['expectancy', expectancy === null ? number(null) : money(expectancy, quote)],
    ['sqn', number(summary.sqn)],
    ['averageTradeReturn', percent(summary.averageTradeReturn)],
    ['bestTradeReturn', percent(summary.bestTradeReturn)],
    ['worstTradeReturn', percent(summary.worstTradeReturn)],
    ['averageTradeMs', span(averageTradeMs)],
    ['longestTradeMs', span(longestTradeMs)],
  ];
}

function activityFigures(summary: BacktestSummary, voice: ReportVoice): Shown[] {
  const { digits, number, percent, money } = voice;
  return [
    ['exposure', percent(summary.exposure)],
    ['turnover', number(summary.turnover)],
    ['tradedValue', money(summary.tradedValue, summary.quote)],
    ['fees', money(summary.fees, summary.quote)],
    ['intents', digits(String(summary.intents))],
    ['orders', digits(String(summary.orders))],
    ['refused', digits(String(summary.refused))],
    ['fills', digits(String(summary.fills))],
    ...requestFigures(summary, voice),
  ];
}

/** A run on candles sends none, and says nothing of it. */
function requestFigures(
  { requests, requestsPerFill }: BacktestSummary,
  { digits, number }: ReportVoice,
): Shown[] {
  if (requests === null) return [];
  return [
    ['requests', digits(String(requests))],
    ['requestsPerFill', number(requestsPerFill)],
  ];
}
