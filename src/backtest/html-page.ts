import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ownFolder } from '../plugins/own-files.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { unitName } from '../language/format-money.ts';
import { localeOf, type Language } from '../language/locale.ts';
import type { Texts } from '../language/translate.ts';
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
  /** Texts that the scripts show. */
  readonly texts: Texts;
  readonly title: string;
  /** HTML of the parts. */
  readonly header: string;
  readonly main: readonly string[];
  readonly footer: string;
  /** Plain JSON that the scripts read; they find it packed in the element `data`. */
  readonly data: unknown;
  /** Paths of style sheets below `src/`. */
  readonly styles: readonly string[];
  /** Whole scripts that come first, such as a library. */
  readonly libraries: readonly string[];
  /** Paths of scripts below `src/`, each after those that it imports. @see pageScript */
  readonly scripts: readonly string[];
}

/** A report as one HTML file, with its data and its scripts inside. */
export function htmlPage({
  language,
  texts,
  title,
  header,
  main,
  footer,
  data,
  styles,
  libraries,
  scripts,
}: HtmlPage): string {
  const packed = gzipSync(JSON.stringify(data), { level: PACKING }).toString('base64');
  const code = [...libraries, pageScript(scripts)].map((script) => `<script>${inScript(script)}</script>`);
  return `<!doctype html>
<html lang="${language}"${language === 'fa' ? ' dir="rtl"' : ''} data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escapeHtml(title)}</title>
<style>${styles.map(fileOfPage).join('\n')}</style>
</head>
<body>
${header}
<main>
${main.join('\n')}
</main>
<footer><p>${footer}</p></footer>
${wordsOf(language, texts)}<script type="text/plain" id="data">${packed}</script>
${code.join('\n')}
</body>
</html>
`;
}

/** The texts of the scripts, which they find in the element `words`. */
function wordsOf(language: Language, texts: Texts): string {
  const units = Object.fromEntries(
    MARKET_NAMES.quotes.map(({ currency }) => [currency, unitName(currency, localeOf(language))]),
  );
  const words = inScript(JSON.stringify({ language, texts, units }));
  return `<script type="application/json" id="words">${words}</script>\n`;
}

/**
 * Scripts as one. A page from a file can not load modules beside it, so they are put one after another,
 * without their imports and exports: all their names are in one scope, and no two files of a page may use the
 * same.
 */
export function pageScript(paths: readonly string[]): string {
  const parts = paths.map((path) =>
    fileOfPage(path)
      .replaceAll(/^import [^;]*;\n/gm, '')
      .replaceAll(/^export (?=async function|function|const)/gm, ''),
  );
  return `(() => {\n'use strict';\n${parts.join('\n')}})();\n`;
}

/** A script within a page: what would end its element early is written otherwise. */
function inScript(script: string): string {
  return script.replaceAll('</script', String.raw`<\/script`);
}

function fileOfPage(path: string): string {
  const cut = path.lastIndexOf('/');
  return readFileSync(join(ownFolder(path.slice(0, cut)), path.slice(cut + 1)), 'utf8');
}
