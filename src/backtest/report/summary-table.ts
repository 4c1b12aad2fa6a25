import type { BacktestSummary } from '../result/result-schema.ts';
import { currencyText, spanText, shownMoney, numberText, percentText } from './value-text.ts';

/** A figure before people: what it is called and what it is. */
export interface Figure {
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
export function figureGroups(summary: BacktestSummary): FigureGroup[] {
  return [
    { title: 'Result', figures: resultFigures(summary) },
    { title: 'Risk', figures: riskFigures(summary) },
    { title: 'Trades', figures: tradeFigures(summary) },
    { title: 'Activity', figures: activityFigures(summary) },
  ];
}

function resultFigures(summary: BacktestSummary): Figure[] {
  const money = (value: string): string => shownMoney(value, summary.quote);
  return [
    { name: 'quote', title: 'Currency', text: currencyText(summary.quote) },
    { name: 'initialEquity', title: 'Initial equity', text: money(summary.initialEquity) },
    { name: 'finalEquity', title: 'Final equity', text: money(summary.finalEquity) },
    { name: 'profit', title: 'Profit', text: money(summary.profit) },
    { name: 'totalReturn', title: 'Return', text: percentText(summary.totalReturn) },
    { name: 'buyAndHoldReturn', title: 'Buy and hold', text: percentText(summary.buyAndHoldReturn) },
    { name: 'cagr', title: 'CAGR', text: percentText(summary.cagr) },
  ];
}

function riskFigures(summary: BacktestSummary): Figure[] {
  return [
    { name: 'volatility', title: 'Volatility', text: percentText(summary.volatility) },
    { name: 'sharpe', title: 'Sharpe', text: numberText(summary.sharpe) },
    { name: 'sortino', title: 'Sortino', text: numberText(summary.sortino) },
    { name: 'calmar', title: 'Calmar', text: numberText(summary.calmar) },
    { name: 'omega', title: 'Omega', text: numberText(summary.omega) },
    { name: 'maxDrawdown', title: 'Max drawdown', text: percentText(summary.maxDrawdown) },
    { name: 'maxDrawdownMs', title: 'Its length', text: spanText(summary.maxDrawdownMs) },
    { name: 'longestDrawdownMs', title: 'Longest drawdown', text: spanText(summary.longestDrawdownMs) },
  ];
}

function tradeFigures(summary: BacktestSummary): Figure[] {
  const { expectancy, quote } = summary;
  return [
    { name: 'trades', title: 'Trades', text: String(summary.trades) },
    { name: 'openTrades', title: 'Still open', text: String(summary.openTrades) },
    { name: 'winRate', title: 'Win rate', text: percentText(summary.winRate) },
    { name: 'profitFactor', title: 'Profit factor', text: numberText(summary.profitFactor) },
    {
      name: 'expectancy',
      title: 'Expectancy',
      text: expectancy === null ? numberText(null) : shownMoney(expectancy, quote),
    },
    { name: 'sqn', title: 'SQN', text: numberText(summary.sqn) },
    { name: 'averageTradeReturn', title: 'Average trade', text: percentText(summary.averageTradeReturn) },
    { name: 'bestTradeReturn', title: 'Best trade', text: percentText(summary.bestTradeReturn) },
    { name: 'worstTradeReturn', title: 'Worst trade', text: percentText(summary.worstTradeReturn) },
    { name: 'averageTradeMs', title: 'Average length', text: spanText(summary.averageTradeMs) },
    { name: 'longestTradeMs', title: 'Longest trade', text: spanText(summary.longestTradeMs) },
  ];
}

function activityFigures(summary: BacktestSummary): Figure[] {
  return [
    { name: 'exposure', title: 'Exposure', text: percentText(summary.exposure) },
    { name: 'turnover', title: 'Turnover', text: numberText(summary.turnover) },
    { name: 'tradedValue', title: 'Traded value', text: shownMoney(summary.tradedValue, summary.quote) },
    { name: 'fees', title: 'Fees', text: shownMoney(summary.fees, summary.quote) },
    { name: 'intents', title: 'Intents', text: String(summary.intents) },
    { name: 'orders', title: 'Orders', text: String(summary.orders) },
    { name: 'refused', title: 'Refused', text: String(summary.refused) },
    { name: 'fills', title: 'Fills', text: String(summary.fills) },
    ...requestTexts(summary),
  ];
}

/** A run on candles sends none, and says nothing of it. */
function requestTexts({ requests, requestsPerFill }: BacktestSummary): Figure[] {
  if (requests === null) return [];
  return [
    { name: 'requests', title: 'Requests', text: String(requests) },
    { name: 'requestsPerFill', title: 'Requests per fill', text: numberText(requestsPerFill) },
  ];
}
