import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

/** A block of commands on a page, with the output that the page shows for them. */
interface ShownCommands {
  readonly commands: readonly string[];
  readonly lines: readonly string[];
}

/** Matches numbers, times and the random part of ids, which differ in every run. */
const VARIES = /\bmaker-\w{4}-|\d[\d,.:]*/g;

const plainLine = (line: string): string => line.replaceAll(VARIES, '0').replaceAll(/\s+/g, ' ').trim();

/** A page of `docs` for operators; its commands are run by a shell beside a bot. */
export class OperatorPage {
  private readonly text: string;
  private readonly path: string;
  private readonly folder: string;
  private readonly places: readonly (readonly [shown: string, real: string])[];
  private followed = 0;

  /** `places` maps texts of the page to what they stand for here; commands run in `folder`. */
  constructor(name: string, folder: string, places: Readonly<Record<string, string>>) {
    this.text = readFileSync(`docs/${name}.md`, 'utf8');
    this.folder = folder;
    this.places = Object.entries(places);
    const programs = join(folder, 'programs');
    mkdirSync(programs, { recursive: true });
    rmSync(join(programs, 'sarraf'), { force: true });
    symlinkSync(resolve('bin/sarraf.js'), join(programs, 'sarraf'));
    this.path = [programs, dirname(process.execPath), process.env['PATH']].join(delimiter);
  }

  /** Number of command blocks of the page that were not run. */
  get left(): number {
    return blocksOf(this.text).length - this.followed;
  }

  /**
   * Runs the commands of a section; returns the lines that the page shows and their output lacks. `between`
   * does what the page says in words, before each block but the first.
   */
  async follow(section: string, between?: () => Promise<void>): Promise<readonly string[]> {
    const [, after] = this.text.split(`\n## ${section}\n`);
    if (after === undefined) throw new Error(`expected a section "${section}"`);
    const missing: string[] = [];
    const blocks = blocksOf(after.split('\n## ')[0] ?? '');
    for (const [index, { commands, lines }] of blocks.entries()) {
      if (index > 0) await between?.();
      let output = '';
      for (const command of commands) output += await this.run(command);
      const printed = new Set(output.split('\n').map(plainLine));
      const lacking = lines.filter((line) => !printed.has(plainLine(line)));
      if (lacking.length > 0) missing.push(...lacking, 'is not in:', output);
      this.followed += 1;
    }
    return missing;
  }

  /** Returns the output of a command, with the texts of the page in place of the real ones. */
  async run(command: string): Promise<string> {
    let line = command;
    for (const [shown, real] of this.places) line = line.replaceAll(shown, real);
    const env = { ...process.env, PATH: this.path };
    return new Promise((done) => {
      execFile('sh', ['-c', line], { cwd: this.folder, env }, (_, out, error) => {
        let text = out + error;
        for (const [shown, real] of this.places) text = text.replaceAll(real, shown);
        done(text);
      });
    });
  }
}

/** Finds blocks of commands, also in lists, each with the block of output right behind it. */
function blocksOf(text: string): readonly ShownCommands[] {
  const flat = text.replaceAll(/^ {3}/gm, '');
  return [...flat.matchAll(/^```sh\n([^]*?)^```(?:\n\n```text\n([^]*?)^```)?/gm)].map(
    ([, code = '', shown = '']) => ({
      commands: code.trim().split('\n'),
      lines: shown.split('\n').filter((line) => line.trim() !== ''),
    }),
  );
}
