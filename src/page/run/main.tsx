import { signal } from '@preact/signals';
import { render } from 'preact';
import { startReport } from '../report-page.ts';
import type { ReportData } from '../run-data.ts';
import { RunCharts } from './charts.tsx';
import { unpackRun, type TradeRow } from './run-page.ts';
import { ProfitGroups, TradeTable } from './trade-table.tsx';

/** Draws the page of a run: charts, profits and trades. Choosing a trade moves the charts. */
function drawRun(sent: ReportData): void {
  const data = unpackRun(sent);
  const chosen = signal<{ readonly trade: TradeRow } | null>(null);
  const charts = document.getElementById('run-charts');
  const trades = document.getElementById('trades');
  if (charts !== null) render(<RunCharts data={data} chosen={chosen} />, charts);
  const profits = document.getElementById('profit-groups');
  if (profits !== null) render(<ProfitGroups data={data} />, profits);
  if (trades === null || data.trades.length === 0) return;
  const choose = (trade: TradeRow): void => {
    chosen.value = { trade };
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    charts?.scrollIntoView({ behavior: isCalm ? 'auto' : 'smooth', block: 'start' });
  };
  render(<TradeTable data={data} onChoose={choose} />, trades);
}

void startReport(drawRun);
