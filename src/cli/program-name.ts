/** How a person calls sarraf here: in a checkout, which runs the sources, it is a script of the package. */
export function programName(file: string = import.meta.filename): string {
  return file.endsWith('.ts') ? 'npm run sarraf --' : 'sarraf';
}
