// Builds the scripts of the reports, each as one file without imports: a page from a file can not load modules.
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Returns the script of each report by its name. */
export async function buildReports() {
  const built = ['run', 'study'].map(async (name) => {
    const bundle = await rolldown({
      input: join(import.meta.dirname, name, 'main.tsx'),
      platform: 'browser',
      // JSX is as tsconfig.json beside this has it.
      transform: { target: 'es2023' },
      resolve: { conditionNames: ['production', 'import', 'browser', 'default'] },
    });
    const { output } = await bundle.generate({ format: 'iife', minify: true });
    await bundle.close();
    return [name, output[0].code];
  });
  return Object.fromEntries(await Promise.all(built));
}

// A checkout asks for them so: a process of its own answers at once, which a bundler in this one can not.
if (import.meta.main) process.stdout.write(JSON.stringify(await buildReports()));
