/** How a person calls sarraf here: in a checkout, which runs the sources, npx finds it. */
export function programName(file: string = import.meta.filename): string {
  return file.endsWith('.ts') ? 'npx sarraf' : 'sarraf';
}
