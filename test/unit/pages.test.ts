import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** Pages that people write; those under `docs/reference` come from the code. */
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...globSync('docs/*.md').toSorted(),
  ...globSync('docs/adr/*.md').toSorted(),
];
const MOST_LINES_OF_README = 150;

test('the README fits in a short read', () => {
  expect(readFileSync('README.md', 'utf8').split('\n').length).toBeLessThan(MOST_LINES_OF_README);
});

describe.each(PAGES)('%s', (path) => {
  const page = readFileSync(path, 'utf8');

  test('links to files and headings that exist', () => {
    expect(linksOf(page).filter((link) => !leadsSomewhere(link, path))).toEqual([]);
  });
});

const withoutCode = (page: string): string => page.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

/** Targets of links and pictures to files of the project. */
const linksOf = (page: string): readonly string[] =>
  [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^https?:/.test(link));

/** Whether a link names a file that exists, and a heading of it where it names one. */
function leadsSomewhere(link: string, from: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? from : join(dirname(from), path);
  if (!existsSync(file)) return false;
  return anchor === undefined || headingsOf(readFileSync(file, 'utf8')).includes(anchor);
}

/** The names by which links reach the headings of a page. */
const headingsOf = (page: string): readonly string[] =>
  [...withoutCode(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
