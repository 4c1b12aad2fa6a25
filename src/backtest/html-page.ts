import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { IS_BUNDLE, ownFolder } from '../plugins/own-files.ts';
import type { Language } from '../language/locale.ts';
import { escapeHtml } from './value-text.ts';

/**
 * Nothing but what is in the file may run or load: a report opens offline and tells nobody that it was
 * opened.
 */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

/** The level of gzip: the highest one takes ten times as long, for a file that is a twentieth smaller. */
const PACKING = 4;

/** Parts of a report. */
interface HtmlPage {
  readonly language: Language;
  readonly title: string;
  /** HTML of the parts. */
  readonly header: string;
  readonly main: readonly string[];
  readonly footer: string;
  /** Plain JSON that the script reads; it finds it packed in the element `data`. */
  readonly data: unknown;
  /** Style sheets, by their names in `src/page/`. */
  readonly styles: readonly string[];
  /** The script, by the folder of `src/page/` that it is built from. */
  readonly script: ReportScript;
}

/** A report as one HTML file, with its data and its script inside. */
export function htmlPage({ language, title, header, main, footer, data, styles, script }: HtmlPage): string {
  const packed = gzipSync(JSON.stringify(data), { level: PACKING }).toString('base64');
  return `<!doctype html>
<html lang="${language}"${language === 'fa' ? ' dir="rtl"' : ''} data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escapeHtml(title)}</title>
<style>${styles.map(pageFile).join('\n')}</style>
</head>
<body>
${header}
<main>
${main.join('\n')}
</main>
<footer><p>${footer}</p></footer>
<script type="text/plain" id="data">${packed}</script>
<script>${inScript(reportScript(script))}</script>
</body>
</html>
`;
}

type ReportScript = 'run' | 'study';

let built: Readonly<Record<ReportScript, string>> | null = null;

/**
 * The script of a report. A bundle has it; a checkout builds it from its sources, once a process, so that a
 * page never has a script older than its data.
 */
function reportScript(name: ReportScript): string {
  if (IS_BUNDLE) return pageFile(`${name}.js`);
  built ??= JSON.parse(
    execFileSync(process.execPath, [join(ownFolder('page'), 'build-reports.mjs')], { encoding: 'utf8' }),
  ) as Readonly<Record<ReportScript, string>>;
  return built[name];
}

/** A script within a page: what would end its element early is written otherwise. */
function inScript(script: string): string {
  return script.replaceAll('</script', String.raw`<\/script`);
}

const pageFile = (name: string): string => readFileSync(join(ownFolder('page'), name), 'utf8');

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
