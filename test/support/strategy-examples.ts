import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The pages for authors of strategies: how to write one, and which intents it has. */
export const AUTHORS_PAGE = ['strategies', 'intents']
  .map((name) => readFileSync(`docs/${name}.md`, 'utf8'))
  .join('\n');

/** Pages whose examples are strategies. */
export const STRATEGY_PAGES: readonly string[] = [
  AUTHORS_PAGE,
  ...['brackets', 'portfolio', 'margin', 'execution', 'universe', 'locks', 'signals'].map((name) =>
    readFileSync(`docs/${name}.md`, 'utf8'),
  ),
];

/** A strategy shown on a page, and the name of its file. */
interface Example {
  readonly file: string;
  readonly code: string;
}

/** Writes the strategies of the pages as files of a project, in an order that sorting by name keeps. */
export function writeExamples(folder: string): readonly Example[] {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  // Blocks without an import are parts of a handler, not files.
  const blocks = STRATEGY_PAGES.flatMap((text) => [...text.matchAll(/```ts\n(import [\s\S]*?)```/g)]);
  return blocks.map(([, code = ''], index) => {
    const file = `example-${String(index).padStart(2, '0')}.ts`;
    writeFileSync(join(folder, file), code);
    return { file, code };
  });
}
