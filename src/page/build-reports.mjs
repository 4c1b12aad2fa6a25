// Builds the scripts of reports, each as one file without imports: a local page cannot load modules.
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Builds the script of each report, and returns them by name. */
export async function buildReports() {
  const built = ['run', 'study'].map(async (name) => {
    const bundle = await rolldown({
      input: join(import.meta.dirname, name, 'main.tsx'),
      platform: 'browser',
      // The tsconfig.json in this folder configures JSX.
      transform: { target: 'es2023' },
      resolve: { conditionNames: ['production', 'import', 'browser', 'default'] },
    });
    const { output } = await bundle.generate({ format: 'iife', minify: true });
    await bundle.close();
    return [name, output[0].code];
  });
  return Object.fromEntries(await Promise.all(built));
}

// A checkout runs this in a separate process, whose output can be read synchronously.
if (import.meta.main) process.stdout.write(JSON.stringify(await buildReports()));
