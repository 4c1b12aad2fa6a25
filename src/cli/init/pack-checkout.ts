import { execFile } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { failed } from '../command-error.ts';

const PACKED = z.tuple([
  z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })).readonly() }),
]);

/** Maximum output of npm, a list of hundreds of files. */
const LARGEST_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Runs the tools of a checkout; what they say on standard output. Throws what the system throws. */
class Tools {
  private readonly checkout: string;
  private readonly signal: AbortSignal;

  constructor(checkout: string, signal: AbortSignal) {
    this.checkout = checkout;
    this.signal = signal;
  }

  async run(program: string, args: readonly string[], cwd = this.checkout): Promise<string> {
    const options = { cwd, signal: this.signal, maxBuffer: LARGEST_OUTPUT_BYTES };
    const { stdout } = await promisify(execFile)(program, args, options);
    return stdout;
  }

  /** Packs the package of a folder, and runs nothing of it. */
  async pack(args: readonly string[], cwd?: string): Promise<z.output<typeof PACKED>[0]> {
    const text = await this.run('npm', ['pack', '--json', '--ignore-scripts', ...args], cwd);
    const [packed] = PACKED.parse(JSON.parse(text.slice(text.indexOf('['))));
    return packed;
  }
}

/**
 * Puts together in a folder what the package of a checkout has, and answers with the paths that npm takes
 * from the checkout. The checkout itself is left as it is: a bot may run from its bundle.
 */
async function assemblePackage(
  checkout: string,
  into: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const tools = new Tools(checkout, signal);
  const { files } = await tools.pack(['--dry-run']);
  const paths = files.map(({ path }) => path).filter((path) => !path.startsWith('dist/'));
  for (const path of paths) {
    mkdirSync(dirname(join(into, path)), { recursive: true });
    cpSync(join(checkout, path), join(into, path));
  }
  await tools.run(process.execPath, ['bundle.mjs', '--types', join(into, 'dist')]);
  return paths;
}

/** Packs a checkout as for npm, with all that is made in an empty folder; the path of the package there. */
export async function packCheckout(checkout: string, scratch: string, signal: AbortSignal): Promise<string> {
  const folder = join(scratch, 'package');
  try {
    await assemblePackage(checkout, folder, signal);
    const tools = new Tools(checkout, signal);
    const { filename } = await tools.pack(['--pack-destination', scratch], folder);
    return join(scratch, filename);
  } catch (error) {
    if (signal.aborted) throw error;
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw failed(
      `expected to pack ${checkout}, could not (${reason}): run "npm ci" there, and try again; nothing was written`,
    );
  }
}
