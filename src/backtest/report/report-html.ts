import { DAY_MS } from '../../domain/time-text.ts';
import type { FinishedRun } from '../finish-run.ts';
import {
  htmlPage,
  chartSection,
  tradesSection,
  headerSection,
  tilesSection,
  warningsSection,
  summarySection,
  listOf,
} from '../html-page.ts';
import { reportData, thinnedPlots } from './report-data.ts';
import {
  locksSection,
  membersSection,
  openSection,
  pausesSection,
  strategiesSection,
} from './sections/session-sections.ts';
import {
  distributionSection,
  monthlySection,
  drawdownsSection,
  rollingSection,
} from './sections/return-sections.ts';
import { jalaliMonth, monthlyReturns } from '../metrics/equity-metrics.ts';
import { numberOf } from '../statistics.ts';
import type { Language } from '../../language/locale.ts';
import { reportVoice, type ReportVoice } from '../report-voice.ts';
import type { BandColumns, ReportData } from '../../page/run-data.ts';
import { stringify } from 'yaml';
import { parseMarket } from '../../exchange/market-names.ts';
import type { FidelityStatement } from '../backtest-run.ts';
import type { ResultHead } from '../result-schema.ts';
import { escapeHtml } from '../value-text.ts';

/**
 * Writes a run as one HTML file with charts, figures, trades and the basis of the figures; it contains its
 * data and script. Long runs are thinned for drawing (the page says so) and stay below three megabytes.
 */
export function reportHtml(finished: FinishedRun, language: Language = 'en'): string {
  const voice = reportVoice(language);
  const { run, head, trips } = finished;
  const data = reportData(finished, voice);
  const monthly =
    language === 'fa' ? monthlyReturns(numberOf(run.initialEquity), run.curve, jalaliMonth) : head.monthly;
  const made = { day: voice.day(Math.floor(head.createdAtMs / DAY_MS)), page: 'docs/metrics.md' };
  return htmlPage({
    language,
    title: head.name,
    header: headerSection(head, voice),
    main: [
      warningsSection(finished, voice),
      tilesSection(head, voice),
      chartSection(data, thinnedPlots(run, voice), voice),
      summarySection(head, voice),
      strategiesSection(finished, voice),
      openSection(head, voice),
      pausesSection(head, voice),
      drawdownsSection(run, voice),
      rollingSection(run, voice),
      monthlySection(monthly, voice),
      distributionSection(trips, voice),
      profitsSection(data.profits, voice),
      tradesSection({ shown: data.trades.number.length, all: trips.length }, voice),
      refusalsSection(finished, voice),
      locksSection(run, drawnOf(data.locks), voice),
      membersSection(run, drawnOf(data.members), voice),
      fidelitySection(run.fidelity, voice),
      runSection(head, voice),
      logSection(head, voice),
      configSection(head, voice),
    ],
    footer: `${voice.t('footer', made)}
${voice.t('library')} ${language === 'fa' ? `<bdi>${CREDIT}</bdi>` : CREDIT}`,
    data,
    styles: ['palette.css', 'report.css'],
    script: 'run',
  });
}

/** Returns the section in which the script of the page groups closed trades; empty without any. */
function profitsSection({ day }: ReportData['profits'], { t }: ReportVoice): string {
  if (day.length === 0) return '';
  return `<section id="profits"><h2>${t('profits.title')}</h2><p class="muted">${t('profits.note')}</p><div id="profit-groups"></div></section>`;
}

const CREDIT =
  'TradingView Lightweight Charts, Copyright (c) TradingView, Inc., <a href="https://www.tradingview.com/">tradingview.com</a>, Apache License 2.0.';

const drawnOf = ({ all, market }: BandColumns) => ({ all, drawn: market.length });

/** Longest configuration on a page, in characters of YAML; `summary.json` has all of a longer one. */
const MOST_CONFIG = 100_000;

/** Returns the section on the rules by which orders filled, and their caveats. */
function fidelitySection({ kind, rules, caveats }: FidelityStatement, { t, format }: ReportVoice): string {
  const rows = rules.map(
    ({ rule, setting }) =>
      `<div><dt>${escapeHtml(format(rule))}</dt><dd>${escapeHtml(format(setting))}</dd></div>`,
  );
  const unknown = t(kind === 'live' ? 'rules.unknownLive' : 'rules.unknown');
  const notes =
    caveats.length === 0 ? '' : `<h3 style="margin-top:14px">${unknown}</h3>${listOf(caveats.map(format))}`;
  return `<section id="fidelity"><h2>${t('rules.title', { kind: t(`fidelity.${kind}`) })}</h2><dl class="rules">${rows.join('')}</dl>${notes}</section>`;
}

/** Returns the section on the markets and strategies of the run, and its timing. */
function runSection(result: ResultHead, voice: ReportVoice): string {
  const { t, count, number, exact, digits, inUnit, foreign } = voice;
  const { markets, strategies, timing } = result;
  const marketRows = markets.map((market) => {
    const { base, quote } = parseMarket(market.market);
    const text = t('run.market', {
      first: inUnit(exact(market.firstPrice), quote),
      last: inUnit(exact(market.lastPrice), quote),
      bars: count(market.bars),
      priceStep: inUnit(digits(market.priceStep), quote),
      amountStep: inUnit(digits(market.amountStep), base),
    });
    return `<div><dt>${escapeHtml(foreign(market.market))}</dt><dd>${text}</dd></div>`;
  });
  const strategyRows = strategies.map(
    ({ name, market, params }) =>
      `<div><dt>${escapeHtml(foreign(name))}</dt><dd>${escapeHtml(foreign(`${market}${params === null ? '' : ` ${JSON.stringify(params)}`}`))}</dd></div>`,
  );
  const rate = t('run.rate', {
    events: count(timing.events),
    runMs: number(timing.runMs),
    loadMs: number(timing.loadMs),
  });
  return `<section id="run"><h2>${t('run.title')}</h2><dl class="rules">${marketRows.join('')}${strategyRows.join('')}<div><dt>${t('run.timing')}</dt><dd>${rate}</dd></div>
<div><dt>${t('run.bar')}</dt><dd>${voice.length(result.barMs)}</dd></div></dl></section>`;
}

/** Maximum number of log lines of strategies on the page; `summary.json` has all that were kept. */
const MOST_LOGGED = 200;

/** Returns the section with the strategies' log lines; empty if there are none. */
function logSection({ strategies }: ResultHead, { t, second, digits }: ReportVoice): string {
  const lines = strategies
    .flatMap(({ name, log }) => log.map((line) => ({ name, ...line })))
    .toSorted((left, right) => left.atMs - right.atMs);
  if (lines.length === 0) return '';
  const shown = lines.slice(-MOST_LOGGED);
  const rows = shown.map(({ name, atMs, text, fields }) => {
    const more = fields === null ? '' : ` ${JSON.stringify(fields)}`;
    return `${second(atMs)}  ${name}  ${text}${more}`;
  });
  const head =
    shown.length === lines.length
      ? ''
      : `${t('log.last', { shown: digits(String(shown.length)), all: digits(String(lines.length)) })}\n`;
  return `<section id="log"><h2>${t('log.title')}</h2><pre>${escapeHtml(head + rows.join('\n'))}</pre></section>`;
}

/** Returns the section on refusals by check, with the first case in words; empty if there are none. */
function refusalsSection({ refusals }: FinishedRun, { t, count, foreign, words }: ReportVoice): string {
  if (refusals.length === 0) return '';
  const rows = refusals.map(({ strategy, what, code, count: times, meaning, example }) => {
    const why = meaning === null ? '' : `${escapeHtml(words(meaning))}<br>`;
    const counted = `<td>${escapeHtml(words(what))}</td><td>${count(times)}</td>`;
    return `<tr><td>${escapeHtml(foreign(strategy))}</td><td>${escapeHtml(foreign(code))}</td>${counted}<td>${why}${escapeHtml(words(example))}</td></tr>`;
  });
  const titles = [
    t('column.strategy'),
    t('refusals.by'),
    t('refusals.what'),
    t('refusals.times'),
    t('refusals.why'),
  ]
    .map((title) => `<th scope="col">${title}</th>`)
    .join('');
  return `<section id="refusals"><h2>${t('refusals.title')}</h2><div class="scroll"><table><thead><tr>${titles}</tr></thead><tbody>${rows.join('')}</tbody></table></div></section>`;
}

/** Returns the section with the configuration as YAML; empty if there is none. */
function configSection({ config }: ResultHead, { t }: ReportVoice): string {
  if (config === null) return '';
  const text = stringify(config);
  const shown =
    text.length <= MOST_CONFIG ? text : `${text.slice(0, MOST_CONFIG)}\n# ... all of it is in summary.json`;
  return `<section id="config"><h2>${t('config.title')}</h2><pre>${escapeHtml(shown)}</pre></section>`;
}
