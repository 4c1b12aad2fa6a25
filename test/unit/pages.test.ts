import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** Pages whose links and sentences are checked; those under `docs/reference` are generated from the code. */
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...globSync('docs/*.md').toSorted(),
  ...globSync('docs/adr/*.md').toSorted(),
  ...globSync('docs/incidents/*.md').toSorted(),
  ...globSync('docs/reference/*.md').toSorted(),
];
const MOST_WORDS_ON_AVERAGE = 20;
const MOST_LINES_OF_README = 150;
const MOST_WORDS_OF_PAGE = 2_500;
const INDEX = 'docs/README.md';
/** Pages for readers who change the code. */
const PAGES_OF_CODE = ['docs/ARCHITECTURE.md', 'docs/walks.md', 'docs/venues-in-code.md'];

test.each([
  ['One. Two three.', ['One.', 'Two three.']],
  ['Lines that go on\nare one sentence.', ['Lines that go on are one sentence.']],
  ['- A point\n- Another one. And more.', ['A point', 'Another one.', 'And more.']],
  ['# Heading\n\nText.\n\n| cell. | cell. |\n\n```sh\ncode. Code.\n```\n\nEnd.', ['Text.', 'End.']],
  ['See [a page](b.md#c). `npm test` runs 3.5 tests.', ['See a page.', 'code runs 3.5 tests.']],
])('the splitter of sentences %j', (page, expected) => {
  expect(sentencesOf(page)).toEqual(expected);
});

test('the README fits in a short read', () => {
  expect(readFileSync('README.md', 'utf8').trimEnd().split('\n').length).toBeLessThan(MOST_LINES_OF_README);
});

test('the index has every page once', () => {
  const linked = linksOf(readFileSync(INDEX, 'utf8')).map((link) => join('docs', link));
  const listed = linked.filter((path) => /^docs\/(?:\w+\/)?[\w-]+\.md$/.test(path)).toSorted();
  const written = globSync(['docs/*.md', 'docs/incidents/*.md', 'docs/reference/*.md']);
  expect(listed).toEqual(written.filter((path) => path !== INDEX).toSorted());
});

const READ_IN_ONE_GO = ['README.md', 'CONTRIBUTING.md', 'docs/*.md', 'docs/{adr,incidents,reference}/*.md'];

test.each(globSync(READ_IN_ONE_GO))('%s is read in one go', (path) => {
  const words = readFileSync(path, 'utf8').split(/\s+/).filter(Boolean);
  expect(words.length).toBeLessThanOrEqual(MOST_WORDS_OF_PAGE);
});

test('messages and comments name pages and headings that exist', () => {
  const files = globSync(['{src,config,strategies,bench}/**/*.{ts,tsx,yaml,json,py}', '*.yaml']);
  const named = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(NAMED_PAGE)].map(([text, before, page = '', after]) => {
      const heading = before ?? after;
      const link = heading === undefined ? page : `${page}#${anchorOf(heading)}`;
      return { file, text, leads: leadsSomewhere(link, 'README.md') };
    }),
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter(({ leads }) => !leads)).toEqual([]);
});

test('each decision has a date and a status', () => {
  const decisions = globSync('docs/adr/0*.md').toSorted();
  expect(decisions.map((path) => Number(path.slice('docs/adr/'.length).slice(0, 4)))).toEqual(
    decisions.map((_, index) => index + 1),
  );
  const without = decisions.filter((path) => {
    const [, , line = ''] = readFileSync(path, 'utf8').split('\n');
    return !/^Date: \d{4}-\d\d-\d\d\. Status: (?:accepted|superseded by \[\d+\]\([^)]+\))\./.test(line);
  });
  expect(without).toEqual([]);
});

test('the pages about the code name files that there are', () => {
  const pages = PAGES_OF_CODE.map((path) => readFileSync(path, 'utf8')).join('');
  const named = [...pages.matchAll(/`((?:[\w-]+\/)+[\w-]+\.ts)`/g)].map(([, file = '']) => file);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((file) => !existsSync(file) && !existsSync(`src/${file}`))).toEqual([]);
});

test('the architecture page names folders of src and parts of the engine that there are', () => {
  const page = readFileSync('docs/ARCHITECTURE.md', 'utf8');
  const namesIn = (heading: string): readonly string[] => {
    const [, after = ''] = page.split(`\n## ${heading}\n`);
    const rows = (after.split('\n## ')[0] ?? '').match(/^\| `[^|]*/gm) ?? [];
    return rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  };
  const engine = new Set(
    globSync(['src/engine/**/*.ts', 'src/engine/*/']).map((path) =>
      path.replace(/^src\/engine\/|\/$|\.ts$/g, ''),
    ),
  );
  const parts = namesIn('The bot').map((name) => name.replace(/\/$/, ''));
  expect(parts.length).toBeGreaterThan(20);
  expect(parts.filter((name) => !engine.has(name))).toEqual([]);
  const [, written = ''] = page.split('\n## Folders of `src/`\n');
  const folders = new Set((written.match(/^\| `[\w-]+\/`/gm) ?? []).map((row) => row.slice(3, -2)));
  const found = globSync('src/*/').map((path) => path.slice('src/'.length).replace(/\/$/, ''));
  expect(found.filter((folder) => !folders.has(folder))).toEqual([]);
});

describe.each(PAGES)('%s', (path) => {
  const page = readFileSync(path, 'utf8');

  test('links to files and headings that exist', () => {
    expect(linksOf(page).filter((link) => !leadsSomewhere(link, path))).toEqual([]);
  });

  test(`has at most ${MOST_WORDS_ON_AVERAGE} words in a sentence on average`, () => {
    const lengths = sentencesOf(page).map((sentence) => wordsOf(sentence).length);
    expect(lengths.length).toBeGreaterThan(0);
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    expect(mean).toBeLessThanOrEqual(MOST_WORDS_ON_AVERAGE);
  });
});

/** Mention of a page in a text, maybe with a heading of it: `"A" in docs/b.md` or `docs/b.md, "A"`. */
const NAMED_PAGE = /(?:"([^"\n]+)" in )?(docs\/[\w/-]+\.md)(?:(?: of sarraf)?, "([^"\n]+)")?/g;

const withoutCode = (page: string): string => page.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

/** Returns the sentences of a page, without code, tables, headings and pictures; a list item is one. */
function sentencesOf(page: string): readonly string[] {
  const prose = withoutCode(page)
    .replaceAll(/^(?:#|\s*\||!\[).*$/gm, '\n')
    .replaceAll(/^ *(?:[-*]|\d+\.) +/gm, '\n\n')
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return prose
    .split(/\n\s*\n/)
    .flatMap((block) =>
      block.replaceAll(/\s+/g, ' ').split(/(?<=[.!?][)"*_]*) (?=["(*_]*(?:[A-Z\d]|code|sarraf))/),
    )
    .map((sentence) => sentence.trim())
    .filter((sentence) => wordsOf(sentence).length > 0);
}

const wordsOf = (sentence: string): readonly string[] =>
  sentence.split(' ').filter((word) => /[\p{L}\d]/u.test(word));

/** Returns the targets of links and pictures that are files of the project. */
const linksOf = (page: string): readonly string[] =>
  [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^https?:/.test(link));

/** True if the file of a link exists, with the heading that the link names, if any. */
function leadsSomewhere(link: string, from: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? from : join(dirname(from), path);
  if (!existsSync(file)) return false;
  return anchor === undefined || headingsOf(readFileSync(file, 'utf8')).includes(anchor);
}

/** Returns the anchors of a page's headings, as links name them. */
const headingsOf = (page: string): readonly string[] =>
  [...withoutCode(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchorOf(title));

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
