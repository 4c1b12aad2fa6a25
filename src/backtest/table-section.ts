import { escapeHtml } from './value-text.ts';

/** A table of words under a title, which scrolls where it is long. */
export function tableSection(of: {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
}): string {
  const { id, title, note, titles, rows } = of;
  const head = titles.map((text) => `<th scope="col">${text}</th>`).join('');
  const body = rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`)
    .join('');
  return `<section id="${id}" class="bands"><h2>${title}</h2><p class="muted">${escapeHtml(note)}</p>
<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div></section>`;
}
