import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { resultSchemaText } from '../src/backtest/result-schema.ts';
import { ERROR_TABLE } from '../src/domain/errors.ts';
import type { Endpoint } from '../src/exchange/request-types.ts';
import { ENDPOINTS } from '../src/exchange/endpoints.ts';
import { studySchema } from '../src/study/study-settings.ts';
import { withPicture } from './architecture-picture.ts';
import { configurationPages, editorSchemaText, studyPage } from './configuration-page.ts';
import { indicatorPages } from './indicators-page.ts';
import { withTerms } from './terms-table.ts';

/**
 * Writes the pages under `docs/reference/`, the picture of the imports and the schema for editors from the
 * code: `npm run docs`. A test holds the committed pages equal to what this makes.
 */

const ACCESS: Readonly<Record<Endpoint['access'], string>> = {
  none: 'no credentials',
  'optional-token': 'token, optional',
  token: 'token',
  READ: 'token, or key with READ',
  TRADE: 'token, or key with TRADE',
  WITHDRAW: 'token, or key with WITHDRAW',
  merchant: 'merchant key in the body',
};

function windowText(windowMs: number): string {
  const minutes = windowMs / 60_000;
  if (minutes === 60) return 'an hour';
  return minutes === 1 ? 'a minute' : `in ${minutes} minutes`;
}

function endpointsPage(): string {
  const rows = (Object.values(ENDPOINTS) as Endpoint[]).map((endpoint) => {
    const { name, method, path, access, budget, idempotent, summary } = endpoint;
    const marks = [
      endpoint.deprecated === true ? 'deprecated' : '',
      endpoint.experimental === true ? 'experimental' : '',
    ]
      .filter((mark) => mark !== '')
      .map((mark) => ` (${mark})`)
      .join('');
    const limit = `${budget.limit} ${windowText(budget.windowMs)} per ${budget.per}${budget.assumed ? ', assumed' : ''}`;
    return `| \`${name}\` | ${method} \`${path}\` | ${ACCESS[access]} | ${limit} | \`${budget.name}\` | ${idempotent ? 'yes' : 'no'} | ${summary}${marks} |`;
  });
  return [
    '# Endpoints',
    '',
    'This page lets you look up every call of the exchange: `sarraf api NAME --help` has its fields and an example. The name is',
    'also the method of `ExchangeClient`. Endpoints of one budget share its limit. If the interface states no limit, one is assumed.',
    'Only calls that change nothing may be retried. The page is generated from `src/exchange/endpoints/`.',
    '',
    '| name | request | who may | limit | budget | retry | what it is for |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function errorsPage(): string {
  const rows = Object.entries(ERROR_TABLE).map(
    ([code, { retry, outcome, meaning }]) => `| \`${code}\` | ${retry} | ${outcome} | ${meaning} |`,
  );
  return [
    '# Errors',
    '',
    'This page lets you look up what an error means, and whether you may repeat the call. For example, after `TIMED_OUT` an',
    'order may have been placed: look before you send it again.',
    '',
    'A `SarrafError` has its `code`, whether the same call may be made again (`retry`), and its effect on the exchange (`outcome`).',
    "An error can know more than its row: a read that timed out changed nothing. The exchange's own refusals are not errors; they are",
    'returned. The page is generated from `src/domain/errors.ts`.',
    '',
    '| code | retry | outcome | meaning |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

const named = (pages: ReadonlyMap<string, string>): readonly (readonly [string, string])[] =>
  [...pages].map(([name, text]) => [`docs/reference/${name}.md`, text] as const);

/** The pages by their path in the project. */
export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/imports.md', withPicture(readFileSync('docs/imports.md', 'utf8'))],
    ['docs/persian.md', withTerms(readFileSync('docs/persian.md', 'utf8'))],
    ['docs/reference/endpoints.md', endpointsPage()],
    ['docs/reference/errors.md', errorsPage()],
    ...named(configurationPages()),
    ['docs/reference/study.md', studyPage()],
    ...named(indicatorPages()),
    ['config/bot.schema.json', editorSchemaText()],
    ['config/study.schema.json', editorSchemaText(studySchema())],
    ['docs/reference/backtest-result.schema.json', resultSchemaText()],
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync('docs/reference', { recursive: true });
  for (const [path, text] of referencePages()) writeFileSync(path, text);
}
