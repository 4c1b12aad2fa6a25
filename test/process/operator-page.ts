import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

/** A block of commands of a page, with the lines that it shows of their output. */
interface ShownCommands {
  readonly commands: readonly string[];
  readonly lines: readonly string[];
}

/** Numbers, times and the drawn part of ids, of which every run has others. */
const VARIES = /\bmaker-\w{4}-|\d[\d,.:]*/g;

const plainLine = (line: string): string => line.replaceAll(VARIES, '0').replaceAll(/\s+/g, ' ').trim();

/** A page of `docs` for operators, whose commands are run by a shell beside a bot. */
export class OperatorPage {
  private readonly text: string;
  private readonly path: string;
  private readonly folder: string;
  private readonly places: readonly (readonly [shown: string, real: string])[];
  private followed = 0;

  /** `places`: what the page says, and what it stands for here; commands are run in `folder`. */
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

  /** How many blocks of commands of the page were not run. */
  get left(): number {
    return blocksOf(this.text).length - this.followed;
  }

  /**
   * Runs the commands of a section, and answers with the lines of the page that their output lacks.
   * `between` does before the second block, and each after it, what the page says in words.
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

  /** What a command prints, with the places of the page in it. */
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

/** Blocks of commands, also in a list, each with the block of output right behind it. */
function blocksOf(text: string): readonly ShownCommands[] {
  const flat = text.replaceAll(/^ {3}/gm, '');
  return [...flat.matchAll(/^```sh\n([^]*?)^```(?:\n\n```text\n([^]*?)^```)?/gm)].map(
    ([, code = '', shown = '']) => ({
      commands: code.trim().split('\n'),
      lines: shown.split('\n').filter((line) => line.trim() !== ''),
    }),
  );
}
