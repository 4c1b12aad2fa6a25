import type { BacktestResult } from '../../result/result-schema.ts';
import { escapeHtml } from '../escape-html.ts';
import { figureGroups } from '../summary-table.ts';

/** Every figure of the summary. */
export function summarySection({ summary }: BacktestResult): string {
  const groups = figureGroups(summary).map(({ title, figures }) => {
    const rows = figures.map(
      (figure) =>
        `<div data-figure="${figure.name}"><dt>${escapeHtml(figure.title)}</dt><dd>${escapeHtml(figure.text)}</dd></div>`,
    );
    return `<div><h3>${escapeHtml(title)}</h3><dl>${rows.join('')}</dl></div>`;
  });
  return `<section id="summary"><h2>Summary</h2><div class="groups">${groups.join('')}</div></section>`;
}
