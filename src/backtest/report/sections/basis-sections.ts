import { groupedText } from '../../../domain/money-text.ts';
import { stringify } from 'yaml';
import type { ResultHead } from '../../result/result-schema.ts';
import { escapeHtml, numberText } from '../value-text.ts';
import { listOf } from './header-sections.ts';
import { durationText, secondText } from '../../../domain/time-text.ts';

/**
 * A configuration that is longer than this many characters of YAML is cut on the page; `result.json` has all
 * of it.
 */
const MOST_CONFIG = 100_000;

/** How the fills came about, and what that can not know. */
export function fidelitySection({ fidelity }: ResultHead): string {
  const { kind, rules, caveats } = fidelity;
  const rows = rules.map(
    ({ rule, setting }) => `<div><dt>${escapeHtml(rule)}</dt><dd>${escapeHtml(setting)}</dd></div>`,
  );
  const unknown = kind === 'live' ? 'What the mirror does not know' : 'What it can not know';
  const notes = caveats.length === 0 ? '' : `<h3 style="margin-top:14px">${unknown}</h3>${listOf(caveats)}`;
  return `<section id="fidelity"><h2>Fidelity: ${kind}</h2><dl class="rules">${rows.join('')}</dl>${notes}</section>`;
}

/** Markets and strategies of the run, and where its time went. */
export function runSection(result: ResultHead): string {
  const { markets, strategies, timing } = result;
  const marketRows = markets.map((market) => {
    const prices = `${groupedText(market.firstPrice)} to ${groupedText(market.lastPrice)}`;
    const steps = `${groupedText(String(market.bars))} bars, price step ${market.priceStep}, amount step ${market.amountStep}`;
    return `<div><dt>${escapeHtml(market.market)}</dt><dd>${prices}; ${steps}</dd></div>`;
  });
  const strategyRows = strategies.map(
    ({ name, market, params }) =>
      `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(market)}${params === null ? '' : ` ${escapeHtml(JSON.stringify(params))}`}</dd></div>`,
  );
  const rate = `${groupedText(String(timing.events))} events in ${numberText(timing.runMs)} ms, loaded in ${numberText(timing.loadMs)} ms`;
  return `<section id="run"><h2>Run</h2><dl class="rules">${marketRows.join('')}${strategyRows.join('')}<div><dt>Timing</dt><dd>${rate}</dd></div>
<div><dt>Bar</dt><dd>${durationText(result.barMs)}</dd></div></dl></section>`;
}

/** Lines of a strategy's log that the page shows; `result.json` has all that were kept. */
const MOST_LOGGED = 200;

/** What the strategies logged; nothing where none did. */
export function logSection({ strategies }: ResultHead): string {
  const lines = strategies
    .flatMap(({ name, log }) => log.map((line) => ({ name, ...line })))
    .toSorted((left, right) => left.atMs - right.atMs);
  if (lines.length === 0) return '';
  const shown = lines.slice(-MOST_LOGGED);
  const rows = shown.map(({ name, atMs, text, fields }) => {
    const more = fields === null ? '' : ` ${JSON.stringify(fields)}`;
    return `${secondText(atMs)}  ${name}  ${text}${more}`;
  });
  const head = shown.length === lines.length ? '' : `The last ${shown.length} of ${lines.length} lines.\n`;
  return `<section id="log"><h2>Log of the strategies</h2><pre>${escapeHtml(head + rows.join('\n'))}</pre></section>`;
}

/** What was refused, by check, with the first case in words; nothing where nothing was. */
export function refusalsSection({ refusals }: ResultHead): string {
  if (refusals.length === 0) return '';
  const rows = refusals.map(({ strategy, what, code, count, meaning, example }) => {
    const why = meaning === null ? '' : `${escapeHtml(meaning)}<br>`;
    const counted = `<td>${escapeHtml(what)}</td><td>${groupedText(String(count))}</td>`;
    return `<tr><td>${escapeHtml(strategy)}</td><td>${escapeHtml(code)}</td>${counted}<td>${why}${escapeHtml(example)}</td></tr>`;
  });
  const titles = ['Strategy', 'By', 'What', 'Times', 'Why, of the first']
    .map((title) => `<th scope="col">${title}</th>`)
    .join('');
  return `<section id="refusals"><h2>Refused</h2><div class="scroll"><table><thead><tr>${titles}</tr></thead><tbody>${rows.join('')}</tbody></table></div></section>`;
}

/** The configuration, as YAML; nothing where none was given. */
export function configSection({ config }: ResultHead): string {
  if (config === null) return '';
  const text = stringify(config);
  const shown =
    text.length <= MOST_CONFIG ? text : `${text.slice(0, MOST_CONFIG)}\n# ... all of it is in result.json`;
  return `<section id="config"><h2>Configuration</h2><pre>${escapeHtml(shown)}</pre></section>`;
}
